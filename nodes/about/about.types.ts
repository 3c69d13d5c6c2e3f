/** Settings of the about node: the table of docs/nodes/about.md. */
export interface AboutConfig {
  fields: string;
}
