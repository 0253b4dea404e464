import { useEffect } from 'preact/hooks'
import type { Message, Pane } from '../api/types'
import { Blocks, blocksText } from '../blocks/blocks'
import { getJson } from '../transport/request'
import { CopyButton } from '../ui/copy'
import { Dialog } from '../ui/dialog'
import { Empty, Problem, Skeleton } from '../ui/panel'
import { useLoad } from '../ui/use-load'

interface Talk {
  messages: (Message & { joinedLate?: true })[]
  prompts: { turn: string; text: string }[]
}

/** What was said there is told by nobody: it is asked for again while somebody looks. */
const AGAIN_MS = 2_000

/** What an agent has said that somebody else started: to read, not to answer. */
export function PaneTalk({ pane, onClose }: { pane: Pane; onClose(): void }) {
  const { value, error, reload } = useLoad<Talk>(pane.id, signal =>
    getJson(`/panes/${pane.id}/conversation`, { signal }),
  )
  useEffect(() => {
    const timer = setInterval(reload, AGAIN_MS)
    return () => clearInterval(timer)
  }, [reload])
  const turns = value ? [...new Set([...value.prompts, ...value.messages].map(({ turn }) => turn))].sort(byNumber) : []
  return (
    <Dialog title={`${pane.agent ?? pane.command} in ${pane.place}`} onClose={onClose} isWide>
      {!value && error !== null && <Problem error={error} retry={reload} />}
      {!value && error === null && <Skeleton />}
      {value && turns.length === 0 && <Empty title="Nothing said yet" />}
      {turns.map(turn => (
        <section key={turn} class="said">
          {value!.prompts
            .filter(prompt => prompt.turn === turn)
            .map(({ text }) => (
              <div key={`p${turn}`} class="asked">
                <p>{text}</p>
              </div>
            ))}
          {value!.messages
            .filter(message => message.turn === turn)
            .map(message => (
              <div key={message.message} class={message.provisional ? 'provisional' : ''}>
                <header>
                  <span class="tiny dim">{message.joinedLate ? 'joined late' : ''}</span>
                  <CopyButton text={() => message.markdown ?? blocksText(message.blocks)} label="Copy this message" />
                </header>
                <Blocks blocks={message.blocks} />
              </div>
            ))}
        </section>
      ))}
    </Dialog>
  )
}

/** A turn's name ends with its number. */
function byNumber(a: string, b: string): number {
  const number = (turn: string) => Number(turn.slice(turn.lastIndexOf('.') + 1))
  return number(a) - number(b)
}
