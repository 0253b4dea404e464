import { describe, expect, it } from 'vitest'
import { loadPack } from '../../src/agents/index.js'
import { Pane, type PaneStep } from '../../src/panes/index.js'
import { type Block, renderMarkdown } from '../../src/screen/index.js'
import { Conversation } from '../../src/sessions/index.js'
import { type DemoEvent, type DemoSession, recordDemo } from './demo-recording.js'

const MARKDOWN = `# The station

The signalman sees every train that comes near, and the interlocking makes an unsafe move impossible, however tired he may be at four in the morning.

- **Home** signal in \`src/home.ts\` protects the station and is worked by the long lever at the end of the frame
- *Distant* signal
  - yellow, and it repeats what the home signal shows so that a driver can begin to brake in time
  - never red
- The end

1. Pull the lever
2. Watch the arm

\`\`\`ts
export function aspectOf(blocksFree: number): Aspect {
  // Never show clear while the block ahead is taken.
  if (blocksFree === 0) return "danger"

  return blocksFree === 1 ? "caution" : "clear"
}
\`\`\`

| aspect | meaning | speed |
|:--|:--|--:|
| red | stop | 0 |
| yellow | expect to stop at the next signal, so begin to brake now | 60 |
| green | go | 160 |

> A signal that fails shows danger.

${Array.from({ length: 12 }, (_, index) => `Paragraph ${index + 1} is long enough to be wrapped on every screen: block ${index + 1} follows block ${index}, and no train enters it before the train ahead has left it whole.`).join('\n\n')}

ok

ok

ok`

describe('an answer of the demo agent, read from its terminal', () => {
  for (const args of [[], ['--fullscreen']]) {
    for (const cols of [80, 120, 200]) {
      it(`has every word once and in order at ${cols} columns ${args.join(' ')}`, async () => {
        const { blocks } = await readDemo({ markdown: MARKDOWN, cols, rows: 40, args, speed: 20 })
        expect(wordsOf(renderMarkdown(blocks))).toEqual(wordsOf(MARKDOWN))
        expect(blocks.find(block => block.kind === 'code')).toMatchObject({ lines: codeLines(MARKDOWN) })
        expect(blocks.filter(block => block.kind === 'table')).toHaveLength(1)
      })
    }

    it(`has every word once and in order after fifty resizes ${args.join(' ')}`, async () => {
      const sizes = Array.from({ length: 50 }, (_, index) => ({
        cols: [80, 120, 100, 200, 60, 90][index % 6]!,
        rows: [24, 40, 30][index % 3]!,
      }))
      const { blocks } = await readDemo({ markdown: MARKDOWN, cols: 80, rows: 24, args, speed: 6, sizes })
      expect(wordsOf(renderMarkdown(blocks))).toEqual(wordsOf(MARKDOWN))
    })
  }

  it('shows no word twice or out of order while it streams', async () => {
    const { seen } = await readDemo({ markdown: MARKDOWN, cols: 80, rows: 24, speed: 8 })
    const source = wordsOf(MARKDOWN)
    expect(seen.length).toBeGreaterThan(20)
    for (const blocks of seen) expect(isSubsequence(wordsOf(renderMarkdown(blocks)), source)).toBe(true)
  })
})

async function readDemo(session: DemoSession): Promise<{ blocks: readonly Block[]; seen: (readonly Block[])[] }> {
  return readEvents(await recordDemo(session), session, await loadPack('demo', null))
}

function readEvents(
  events: readonly DemoEvent[],
  { cols, rows }: DemoSession,
  pack: Awaited<ReturnType<typeof loadPack>>,
) {
  const pane = new Pane(pack, { cols, rows })
  const conversation = new Conversation('s', pack, pane.screen)
  const seen: (readonly Block[])[] = []
  const see = (steps: readonly PaneStep[]) => {
    for (const step of steps) {
      if (step.type !== 'look') continue
      conversation.beginTurn(step.look)
      if (conversation.turn)
        seen.push(conversation.extract(step.look, { isOpen: step.look.observation.busy !== false }))
    }
  }
  const runTimers = (until: number) => {
    for (let due = pane.nextDeadline(); due !== null && due <= until; due = pane.nextDeadline()) {
      see(pane.tick(due))
      if (pane.nextDeadline() === due) break
    }
  }
  for (const event of events) {
    runTimers(event.t)
    see(
      'bytes' in event
        ? pane.feed(event.bytes, event.t, { live: false })
        : pane.resize(event.cols, event.rows, event.t),
    )
  }
  runTimers((events.at(-1)?.t ?? 0) + 5)
  const look = pane.screen.last!
  return { blocks: conversation.extract(look, { isOpen: false }), seen }
}

function codeLines(markdown: string): string[] {
  return /```ts\n(.*?)\n```/su.exec(markdown)![1]!.split('\n')
}

/** Words without Markdown punctuation. */
function wordsOf(markdown: string): string[] {
  return markdown
    .replace(/^```.*$/gmu, ' ')
    .replace(/[`*_~|#>\\]/gu, ' ')
    .split(/\s+/u)
    .filter(word => word !== '' && !/^[-:]+$/u.test(word))
}

function isSubsequence(words: readonly string[], of: readonly string[]): boolean {
  let at = 0
  for (const word of of) if (words[at] === word) at++
  return at === words.length
}
