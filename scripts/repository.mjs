/** The web page of the repository, from package.json. It has no `repository` until somebody publishes the package. */

/**
 * @param manifest the parsed package.json
 * @returns without a slash at the end; undefined if there is none, or none on GitHub
 */
export function repositoryUrl({ repository }) {
  const url = typeof repository === 'object' ? repository?.url : repository;
  const [, owner, name] =
    /^(?:.*\bgithub\.com[/:]|github:)?([\w-]+)\/([\w.-]+?)(?:\.git)?$/.exec(url ?? '') ?? [];
  return name === undefined ? undefined : `https://github.com/${owner}/${name}`;
}
