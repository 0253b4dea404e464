import { useEffect } from 'preact/hooks'
import { turnNumber } from '../api/format'
import type { Pane, PaneConversation } from '../api/types'
import { Blocks, blocksText } from '../blocks/blocks'
import { getJson } from '../transport/request'
import { CopyButton } from '../ui/copy'
import { Dialog } from '../ui/dialog'
import { Empty, Problem, Skeleton } from '../ui/panel'
import { useLoad } from '../ui/use-load'

/** No event reports messages of a tmux pane: the open dialog loads them regularly. */
const RELOAD_MS = 2_000

/** The conversation of an agent in a tmux pane, read-only. */
export function PaneConversationDialog({ pane, onClose }: { pane: Pane; onClose(): void }) {
  const { value, error, reload } = useLoad(pane.id, signal =>
    getJson<PaneConversation>(`/panes/${pane.id}/conversation`, { signal }),
  )
  useEffect(() => {
    const timer = setInterval(reload, RELOAD_MS)
    return () => clearInterval(timer)
  }, [reload])
  const turns = value
    ? [...new Set([...value.prompts, ...value.messages].map(({ turn }) => turn))].sort(
        (a, b) => turnNumber(a) - turnNumber(b),
      )
    : []
  return (
    <Dialog title={`${pane.agent ?? pane.command} in ${pane.place}`} onClose={onClose} isWide>
      {!value && error !== null && <Problem error={error} retry={reload} />}
      {!value && error === null && <Skeleton />}
      {value && turns.length === 0 && <Empty title="No messages yet" />}
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
                  <span class="tiny dim">{message.joinedLate ? 'incomplete: the turn had already started' : ''}</span>
                  <CopyButton text={() => message.markdown ?? blocksText(message.blocks)} label="Copy message" />
                </header>
                <Blocks blocks={message.blocks} />
              </div>
            ))}
        </section>
      ))}
    </Dialog>
  )
}
