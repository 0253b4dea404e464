export interface DiffFile {
  name: string
  added: number
  removed: number
  lines: { sign: '+' | '-' | ' ' | '@'; number: number | null; text: string }[]
}

/** Parses a unified diff; each line has its number in the old or the new file. */
export function parseUnified(text: string): DiffFile[] {
  const files: DiffFile[] = []
  let file: DiffFile | null = null
  let before = 0
  let after = 0
  for (const line of text.split('\n')) {
    const header = /^diff --git a\/(.*) b\/(.*)$/.exec(line)
    if (header) {
      file = { name: header[2]!, added: 0, removed: 0, lines: [] }
      files.push(file)
      continue
    }
    if (!file) continue
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line)
    if (hunk) {
      before = Number(hunk[1])
      after = Number(hunk[2])
      file.lines.push({ sign: '@', number: null, text: line })
    } else if (file.lines.length > 0 || /^[+-](?!\+\+ |-- )/.test(line)) {
      if (line.startsWith('+')) {
        file.added++
        file.lines.push({ sign: '+', number: after++, text: line.slice(1) })
      } else if (line.startsWith('-')) {
        file.removed++
        file.lines.push({ sign: '-', number: before++, text: line.slice(1) })
      } else if (line.startsWith(' ')) {
        file.lines.push({ sign: ' ', number: after++, text: line.slice(1) })
        before++
      }
    } else if (/^(new|deleted) file|^Binary|^rename/.test(line))
      file.lines.push({ sign: '@', number: null, text: line })
  }
  return files
}
