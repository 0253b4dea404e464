/**
 * The shortest ends of paths that tell them apart: `shop` where there is one, else `work/shop` and
 * `old/shop`.
 */
export function distinctNames(paths: readonly string[]): ReadonlyMap<string, string> {
  const all = [...new Set(paths)]
  const partsOf = (path: string) => path.replace(/\/+$/, '').split('/')
  const endOf = (path: string, count: number) => partsOf(path).slice(-count).join('/')
  const nameOf = (path: string) => {
    const most = partsOf(path).length
    for (let count = 1; count < most; count++) {
      const end = endOf(path, count)
      if (all.every(other => other === path || endOf(other, count) !== end)) return end || path
    }
    return path
  }
  return new Map(all.map(path => [path, nameOf(path)]))
}
