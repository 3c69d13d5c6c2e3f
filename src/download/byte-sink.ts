/** Where the bytes of an answer go. */
export interface ByteSink {
  /**
   * Takes a piece, whatever room there is; the piece may be overwritten when this returns.
   * @returns false where no more should come before {@link ready}
   */
  take(piece: Buffer): boolean;
  /** Resolves when more may come, or will never be taken. */
  ready(): Promise<void>;
  /** Resolves when all that was taken is in its place. @throws what that failed with */
  end(): Promise<void>;
}

/** What an intake tells while it works. */
export interface IntakeEvents {
  /** More is in its place. */
  onBytes(): void;
  /** It has failed: what still comes is of no use. */
  onFailure(error: Error): void;
}
