import { canDecide } from '../store/live'
import { sessionGrouping } from '../store/prefs'
import { isWorking, StatusBadge } from '../ui/status'
import { TimeSince } from '../ui/time'
import { Unchanged } from '../ui/unchanged'
import { canOpen, openRow, RowMenu } from './session-actions'
import { isNow, type Row } from './session-rows'

interface SessionListProps {
  rows: readonly Row[]
  label: string
  picked: string | null
  selected: ReadonlySet<string>
  onSelect(id: string, isSelected: boolean): void
}

export function SessionList({ rows, label, picked, selected, onSelect }: SessionListProps) {
  return (
    <ul class="list lines session-list" aria-label={label || 'Sessions'}>
      {rows.map(row => (
        <SessionItem
          key={row.id}
          row={row}
          isPicked={row.id === picked}
          isSelected={selected.has(row.id)}
          onSelect={onSelect}
        />
      ))}
    </ul>
  )
}

function SessionItem(props: {
  row: Row
  isPicked: boolean
  isSelected: boolean
  onSelect(id: string, isSelected: boolean): void
}) {
  const { row, isPicked, isSelected, onSelect } = props
  const content = (
    <>
      <StatusBadge badge={row.badge} isLive={isWorking(row.badge)} />
      <span class="what">
        <span class="cut block">
          <span class="strong" dir="auto">
            {row.name}
          </span>
          {row.doing && <span class="soft"> · {row.doing}</span>}
        </span>
        <span class="small dim cut block" title={row.cwd}>
          {row.session ? `#${row.place}` : `tmux ${row.place}`} · {row.agent}
          {sessionGrouping.value !== 'project' && ` · ${row.project}`}
        </span>
      </span>
      <span class="meta">
        {isNow(row) ? <TimeSince at={row.activeAt} prefix="for " /> : <TimeSince at={row.activeAt} suffix=" ago" />}
      </span>
    </>
  )
  // Lists change often; an unchanged line is not drawn again.
  return (
    <Unchanged by={[row.session, row.pane, isPicked, isSelected, canDecide.value, sessionGrouping.value, onSelect]}>
      {() => (
        <li class={`session-item ${isPicked ? 'is-picked' : ''}`} data-selected={isSelected || undefined}>
          <label class="session-check">
            <input
              type="checkbox"
              aria-label={`Select ${row.name}`}
              checked={isSelected}
              onChange={event => onSelect(row.id, event.currentTarget.checked)}
            />
          </label>
          {row.session ? (
            <a class="line-item" href={`/s/${row.id}`}>
              {content}
            </a>
          ) : (
            <button type="button" class="line-item" disabled={!canOpen(row)} onClick={() => openRow(row)}>
              {content}
            </button>
          )}
          <RowMenu row={row} />
        </li>
      )}
    </Unchanged>
  )
}
