/** What the account's admin endpoints answer. Shared by the editor and the runtime; types only. */

/** Who has signed in. */
export interface Person {
  displayName?: string;
  emailAddress?: string;
}

/** An error, as a person reads it. */
export interface Explained {
  code: string;
  message: string;
}

export type SignInState = 'pending' | 'authorized' | 'denied' | 'expired' | 'failed' | 'cancelled';

/** What a person needs to go on: a code (RFC 8628 3.2), or the page to open. */
export interface SignInSteps {
  flow: 'device' | 'browser';
  /** Seconds from now. */
  expiresIn: number;
  userCode?: string;
  verificationUrl?: string;
  verificationUrlComplete?: string;
  /** Seconds between two looks at the state. */
  interval?: number;
  authorizationUrl?: string;
  /** Where the browser will end. */
  redirectUri?: string;
}

export interface StartedSignIn extends SignInSteps {
  session: string;
}

/** What may be known of a sign-in; while it is pending also what is needed to go on with it. */
export interface SignInView extends Partial<SignInSteps> {
  state: SignInState;
  error?: Explained;
  /** Why the service can't be asked just now; it is tried again. */
  trouble?: Explained;
  /** What may be behind a failure, or be one later. */
  warning?: string;
  account?: Person;
  scope?: string;
}

export interface AccountView {
  signedIn: boolean;
  account?: Person;
  scope?: string;
  /** What a sign-in asks for and this one was not granted. */
  missingScopes?: string[];
  /** ISO time of the sign-in. */
  since?: string;
  needsSignIn?: Explained;
  /** Whether that is because nobody has signed in yet. */
  isNew?: true;
  /** Whether somebody is signing in just now. */
  signingIn?: true;
  /** Under which the editors are told that something of this has changed. */
  topic: string;
}

/** What the service says of the account that is signed in. */
export interface Connection {
  account?: Person;
  storage?: Storage;
}

/** Bytes. */
export interface Storage {
  usage: number;
  /** Undefined where there is none. */
  limit?: number;
  inTrash?: number;
}
