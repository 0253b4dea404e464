import type { Frame } from '../../src/terminal/index.js'
import { TerminalEmulator } from '../../src/terminal/index.js'

/** Where quoted lines are on an agent's screen. */
export type Place = 'reply' | 'tool output' | 'draft'

interface Look {
  reply(line: string, isFirst: boolean): string
  output(line: string, isFirst: boolean): string
  screen(parts: { text: string[]; draft: string[]; cols: number }): {
    above: string[]
    box: string[]
    below: string[]
    cursorInBox: number
  }
}

const rule = (cols: number) => '─'.repeat(cols)
const ECHO = '\u001b[48;2;55;55;55m'
const OFF = '\u001b[0m'

/**
 * The idle screens of Claude Code, Codex and Gemini, with room for an answer, a tool's output and a
 * draft.
 */
export const LOOKS: Record<string, Look> = {
  claude: {
    reply: (line, isFirst) => `${isFirst ? '● ' : '  '}${line}`,
    output: (line, isFirst) => `${isFirst ? '  ⎿  ' : '     '}${line}`,
    screen: ({ text, draft, cols }) => ({
      above: [`${ECHO}❯ explain your menus${OFF}`, '', ...text, '', '✻ Worked for 5s · done 1:42 AM', ''],
      box: [
        rule(cols),
        ...(draft.length > 0 ? draft.map((line, n) => `${n === 0 ? '❯\u00a0' : '  '}${line}`) : ['❯\u00a0']),
        rule(cols),
      ],
      below: ['  ⏸ manual mode on · ? for shortcuts'],
      cursorInBox: 1,
    }),
  },
  codex: {
    reply: (line, isFirst) => `${isFirst ? '• ' : '  '}${line}`,
    output: (line, isFirst) => `${isFirst ? '  └ ' : '    '}${line}`,
    screen: ({ text, draft }) => ({
      above: ['› explain your menus', '', ...text, '', '\u001b[2m  Worked for 6s • 01:36\u001b[0m', ''],
      box:
        draft.length > 0
          ? draft.map((line, n) => `${n === 0 ? '› ' : '  '}${line}`)
          : ['› \u001b[2mAsk Codex to do anything\u001b[0m'],
      below: ['', '  GPT-5.5 medium · /home/kim/app', '  ? for shortcuts'],
      cursorInBox: 0,
    }),
  },
  gemini: {
    reply: (line, isFirst) => `${isFirst ? '✦ ' : '  '}${line}`,
    output: line => `│ ${line}`,
    screen: ({ text, draft, cols }) => ({
      above: [
        '▄'.repeat(cols),
        ' > explain your menus',
        '▀'.repeat(cols),
        ...text,
        '',
        rule(cols),
        ' Shift+Tab to accept edits',
      ],
      box: [
        '▄'.repeat(cols),
        ...(draft.length > 0
          ? draft.map((line, n) => `${n === 0 ? ' > ' : '   '}${line}`)
          : [' >   \u001b[2mType your message or @path/to/file\u001b[0m']),
        '▀'.repeat(cols),
      ],
      below: [' workspace (/directory)      branch      sandbox      /model'],
      cursorInBox: 1,
    }),
  },
}

/** The frame of an idle agent with these lines in its answer, tool output or draft. */
export function paintQuoted(agent: string, lines: readonly string[], place: Place, cols: number): Frame {
  const look = LOOKS[agent]!
  const wrapped = lines.flatMap(line => cut(line, cols - 6))
  const call =
    agent === 'gemini'
      ? ['╭────────╮', '│ ✓  Shell cat menu.txt']
      : [look.reply(agent === 'codex' ? 'Ran cat menu.txt' : 'Bash(cat menu.txt)', true)]
  const text =
    place === 'reply'
      ? [
          look.reply('This is what you will see:', true),
          '',
          ...wrapped.map(line => (line === '' ? '' : look.reply(line, false))),
        ]
      : place === 'tool output'
        ? [
            ...call,
            ...wrapped.map((line, n) => look.output(line, n === 0)),
            ...(agent === 'gemini' ? ['╰────────╯'] : []),
            '',
            look.reply('Done.', true),
          ]
        : [look.reply('Done.', true)]
  const { above, box, below, cursorInBox } = look.screen({ text, draft: place === 'draft' ? wrapped : [], cols })
  const all = [...above, ...box, ...below]
  const rows = Math.max(24, all.length + 1)
  const emulator = new TerminalEmulator({ cols, rows })
  const drawn = all.map((line, n) => `\u001b[${n + 1};1H${line}${OFF}`).join('')
  const cursorRow = above.length + cursorInBox + 1
  emulator.feed(new TextEncoder().encode(`${drawn}\u001b[${cursorRow};3H`), 0, { live: false })
  return emulator.currentFrame()
}

function cut(line: string, width: number): string[] {
  if (line.length <= width) return [line]
  return [line.slice(0, width), ...cut(line.slice(width), width)]
}
