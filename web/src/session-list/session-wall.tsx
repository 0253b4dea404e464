import { useRef } from 'preact/hooks'
import { canDecide } from '../store/live'
import { wallColumns } from '../store/prefs'
import { isWorking, StatusBadge } from '../ui/status'
import { SvgView } from '../ui/svg-view'
import { TimeSince } from '../ui/time'
import { Unchanged } from '../ui/unchanged'
import { showLastRows, usePreviews } from './pane-previews'
import { canOpen, openRow, RowMenu } from './session-actions'
import type { Row } from './session-rows'

/** The screens of all live sessions and tmux panes, side by side. */
export function SessionWall({ groups }: { groups: readonly { name: string; rows: Row[] }[] }) {
  const wall = useRef<HTMLDivElement>(null)
  const previews = usePreviews(
    wall,
    groups.flatMap(({ rows }) => rows.map(({ id }) => id)),
  )
  return (
    <div ref={wall}>
      {groups.map(group => (
        <section key={group.name} class="section" aria-label={group.name || 'Sessions'}>
          {group.name !== '' && (
            <div class="section-head">
              <h2>{group.name}</h2>
              <span class="of">{group.rows.length}</span>
            </div>
          )}
          <ul class="wall" style={{ '--columns': wallColumns.value }}>
            {group.rows.map(row => (
              <Tile key={row.id} row={row} picture={previews.get(row.id)} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function Tile({ row, picture }: { row: Row; picture: string | undefined }) {
  return (
    <Unchanged by={[row.session, row.pane, picture, canDecide.value]}>
      {() => (
        <li class={`tile tone-${row.badge.tone}`} data-pane={row.id}>
          <div class="tile-picture">
            {picture ? (
              <SvgView text={picture} label={`Screen of ${row.name}`} class="thumb" prepare={showLastRows} />
            ) : (
              <span class="thumb none" />
            )}
            <button
              type="button"
              id={`pane-${row.id}`}
              class="tile-open"
              disabled={!canOpen(row)}
              aria-label={`Open ${row.name}: ${row.badge.word}`}
              onClick={() => openRow(row)}
            />
          </div>
          <div class="tile-foot">
            <StatusBadge badge={row.badge} isLive={isWorking(row.badge)} />
            <span class="cut small grow" title={row.doing || row.name}>
              <span class="strong">{row.name}</span> {row.doing && <span class="soft">{row.doing}</span>}
            </span>
            <RowMenu row={row} isUp />
          </div>
          <p class="tile-why tiny dim cut">
            {row.session ? `#${row.place}` : `tmux ${row.place}`} · {row.agent} · {row.project} ·{' '}
            <TimeSince at={row.activeAt} suffix=" ago" />
          </p>
        </li>
      )}
    </Unchanged>
  )
}
