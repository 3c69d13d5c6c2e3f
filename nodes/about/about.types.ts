/** Settings of the about node: the contract's table. */
export interface AboutConfig {
  fields: string;
}
