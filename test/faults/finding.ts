/** What can be wrong with what an operation came to. */
export type Problem =
  'without an ending' | 'amiss' | 'not coded' | 'corrupt' | 'duplicate' | 'untrue' | 'leaked' | 'left behind';

export interface Finding {
  problem: Problem;
  what: string;
}
