import { useState } from 'preact/hooks'
import { PaneConversationDialog } from '../session-page/pane-conversation'
import { PaneExplainDialog } from '../session-page/pane-explain'
import { acknowledgePane, interruptSession, renameSession, stopSession } from '../store/actions'
import { canDecide } from '../store/live'
import { isDeveloper } from '../store/prefs'
import { go } from '../store/router'
import { attempt } from '../store/toasts'
import { postJson } from '../transport/request'
import { askFirst } from '../ui/confirm'
import { Menu } from '../ui/menu'
import { NameDialog } from '../ui/name-dialog'
import { isWorking } from '../ui/status'
import type { Row } from './session-rows'

/** Selecting a tmux pane changes what its person sees. */
export function canOpen(row: Row): boolean {
  return row.session !== null || canDecide.value
}

export function openRow(row: Row): void {
  if (row.session) go(`/s/${row.id}`)
  else void attempt(() => postJson(`/panes/${row.id}/focus`), 'The pane has the focus in tmux')
}

/** The actions of one session or tmux pane. */
export function RowMenu({ row, isUp = false }: { row: Row; isUp?: boolean }) {
  const [open, setOpen] = useState<'name' | 'conversation' | 'explain' | null>(null)
  const { session, pane } = row
  const isLive = row.state !== 'ended'
  return (
    <>
      <Menu label={`Actions for ${row.name}`} isUp={isUp}>
        {session && (
          <>
            <button type="button" disabled={!canDecide.value} onClick={() => setOpen('name')}>
              Rename…
            </button>
            <a href={`/start?from=${session.id}`}>Duplicate…</a>
          </>
        )}
        {isLive && pane && (
          <button type="button" disabled={!canDecide.value} onClick={() => void acknowledgePane(row.id)}>
            Mark as seen
          </button>
        )}
        {!session && pane?.agent && (
          <button type="button" onClick={() => setOpen('conversation')}>
            Conversation…
          </button>
        )}
        {!session && (
          <button type="button" disabled={!canDecide.value} onClick={() => openRow(row)}>
            Focus in tmux
          </button>
        )}
        {!session && (
          <button type="button" onClick={() => setOpen('explain')}>
            Why this status?
          </button>
        )}
        {isLive && isDeveloper.value && (
          <button
            type="button"
            disabled={!canDecide.value}
            onClick={() => void attempt(() => postJson(`/panes/${row.id}/clear`))}
          >
            Reset status
          </button>
        )}
        {session && <a href={`/replay/${session.id}`}>Replay</a>}
        {session && isLive && (
          <>
            <button
              type="button"
              disabled={!canDecide.value || !isWorking(row.badge)}
              onClick={() => void interruptSession(row.id)}
            >
              Interrupt
            </button>
            <button
              type="button"
              class="danger"
              disabled={!canDecide.value}
              onClick={() => void stopAfterAsking([row])}
            >
              Stop…
            </button>
          </>
        )}
      </Menu>
      {open === 'name' && (
        <NameDialog
          title="Rename session"
          label="Name"
          name={row.name}
          onName={name => {
            setOpen(null)
            void renameSession(row.id, name)
          }}
          onClose={() => setOpen(null)}
        />
      )}
      {open === 'conversation' && pane && <PaneConversationDialog pane={pane} onClose={() => setOpen(null)} />}
      {open === 'explain' && pane && <PaneExplainDialog pane={pane} onClose={() => setOpen(null)} />}
    </>
  )
}

/** Stops sessions after a confirmation that names them. */
export async function stopAfterAsking(rows: readonly Pick<Row, 'id' | 'name'>[]): Promise<void> {
  const isOne = rows.length === 1
  const isSure = await askFirst({
    title: isOne ? 'Stop this session?' : `Stop ${rows.length} sessions?`,
    text: `${rows.map(({ name }) => name).join(', ')}: the agent ends, and its work in progress with it. You can resume the conversation later.`,
    action: isOne ? 'Stop session' : 'Stop sessions',
  })
  if (isSure) for (const { id } of rows) await stopSession(id)
}
