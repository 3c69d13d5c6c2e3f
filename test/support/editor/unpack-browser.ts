/** Unpacks the packaged Chromium once, before specs that run in parallel would all do it at the same time. */
import { browserExecutable } from './browser';

void browserExecutable();
