import { useRef } from 'preact/hooks'
import type { Session } from '../api/types'
import { panes } from '../store/live'
import { sessionName } from '../store/session-name'
import { SvgView } from '../ui/svg-view'
import { showLastRows, usePreviews } from './pane-previews'

/**
 * With more live sessions than this the page shows no preview: the page of panes shows all of them.
 */
const SESSIONS_MAX = 8

/** A live preview of one working session. */
export function WorkingSession({ sessions }: { sessions: readonly Session[] }) {
  const box = useRef<HTMLDivElement>(null)
  const working = sessions.filter(({ busy, awaiting }) => busy === true && !awaiting)
  const shown = sessions.length <= SESSIONS_MAX ? working[0] : undefined
  const previews = usePreviews(box, shown ? [shown.id] : [])
  const picture = shown && previews.get(shown.id)
  const pane = shown && panes.get(shown.id)
  return (
    <div ref={box}>
      {shown && (
        <section class="panel working-session tone-active" aria-label="Working" data-pane={shown.id}>
          <a href={`/s/${shown.id}`}>
            {picture ? (
              <SvgView text={picture} label={`Screen of ${sessionName(shown)}`} class="thumb" prepare={showLastRows} />
            ) : (
              <span class="thumb" />
            )}
            <span class="working-session-foot">
              <span class="cut strong">{sessionName(shown)}</span>
              <span class="small dim cut">
                {working.length > 1 ? `and ${working.length - 1} more working` : pane?.doing || 'working'}
              </span>
            </span>
          </a>
        </section>
      )}
    </div>
  )
}
