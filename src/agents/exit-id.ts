/** Frames that agents draw around their last output. */
const FRAME = /^[│┃|╭╮╰╯─━▀▄█]+$/

/**
 * Finds the id in the command that an agent prints on exit, such as `qwen --resume <id>`; the last
 * one, if there are several. Rows are joined, because in a narrow terminal the id wraps to the next
 * row, inside a frame.
 */
export function exitIdAfter(
  rows: readonly string[],
  command: readonly string[],
  isId: (word: string) => boolean,
): string | null {
  const words = rows.flatMap(row => row.split(/\s+/)).filter(word => word !== '' && !FRAME.test(word))
  for (let at = words.length - command.length; at >= 0; at -= 1) {
    const last = command.length - 1
    if (!command.slice(0, last).every((word, index) => words[at + index] === word)) continue
    const option = words[at + last] ?? ''
    const id = option === command[last] ? words[at + command.length] : valueIn(option, command[last]!)
    if (id !== undefined && isId(id)) return id
  }
  return null
}

/** `--resume=<id>`: the id. */
function valueIn(word: string, option: string): string | undefined {
  return word.startsWith(`${option}=`) ? word.slice(option.length + 1) : undefined
}
