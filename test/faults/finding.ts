/** The kinds of problems that the oracle finds. */
export type Problem =
  | 'no result'
  | 'contract violation'
  | 'error without code'
  | 'corrupt'
  | 'duplicate'
  | 'wrong result'
  | 'leaked'
  | 'leftover';

export interface Finding {
  problem: Problem;
  what: string;
}
