/** Unpacks the packaged Chromium once, before specs in parallel do it at the same time. */
import { browserExecutable } from './browser';

void browserExecutable();
