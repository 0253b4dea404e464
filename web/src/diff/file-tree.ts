import type { DiffFile } from './unified-diff'

export interface TreeLine {
  /** The part of the path that the line shows: of a directory with one child, both. */
  label: string
  depth: number
  file: DiffFile | null
}

interface Directory {
  directories: Map<string, Directory>
  files: DiffFile[]
}

/** The changed files as a tree: directories first, each by name. */
export function treeLines(files: readonly DiffFile[]): TreeLine[] {
  const root: Directory = { directories: new Map(), files: [] }
  for (const file of files) {
    let here = root
    for (const part of file.name.split('/').slice(0, -1)) {
      const next = here.directories.get(part) ?? { directories: new Map(), files: [] }
      here.directories.set(part, next)
      here = next
    }
    here.files.push(file)
  }
  return linesOf(root, 0)
}

function linesOf({ directories, files }: Directory, depth: number): TreeLine[] {
  const lines: TreeLine[] = []
  for (const [name, child] of [...directories].sort(([a], [b]) => byName(a, b))) {
    let [label, inner] = [name, child]
    while (inner.files.length === 0 && inner.directories.size === 1) {
      const [[next, only]] = [...inner.directories] as [[string, Directory]]
      label += `/${next}`
      inner = only
    }
    lines.push({ label, depth, file: null }, ...linesOf(inner, depth + 1))
  }
  const last = (file: DiffFile) => file.name.slice(file.name.lastIndexOf('/') + 1)
  for (const file of [...files].sort((a, b) => byName(last(a), last(b)))) lines.push({ label: last(file), depth, file })
  return lines
}

function byName(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

/** The files in the order of the tree, so that both scroll in the same direction. */
export function inTreeOrder(files: readonly DiffFile[]): DiffFile[] {
  return treeLines(files).flatMap(({ file }) => (file ? [file] : []))
}
