import { useRef } from 'preact/hooks'
import type { Session } from '../api/types'
import { panes } from '../store/live'
import { SvgView } from '../ui/svg-view'
import { frameLast, usePreviews } from './pane-previews'

/** With more than so many at work a picture of one says little, and pictures of all are what the wall is for. */
const FEW = 8

/** One of the agents at work, as it looks now: what most people want to see first. */
export function AtWork({ sessions }: { sessions: readonly Session[] }) {
  const box = useRef<HTMLDivElement>(null)
  const working = sessions.filter(({ busy, awaiting }) => busy === true && !awaiting)
  const shown = sessions.length <= FEW ? working[0] : undefined
  const previews = usePreviews(box, shown ? [shown.id] : [])
  const picture = shown && previews.get(shown.id)
  const pane = shown && panes.get(shown.id)
  return (
    <div ref={box}>
      {shown && (
        <section class="panel at-work tone-clear" aria-label="At work" data-pane={shown.id}>
          <a href={`/s/${shown.id}`}>
            {picture ? (
              <SvgView
                text={picture}
                label={`Screen of ${shown.label ?? shown.agent}`}
                class="thumb"
                prepare={frameLast}
              />
            ) : (
              <span class="thumb" />
            )}
            <span class="at-work-foot">
              <span class="cut strong">{shown.label ?? shown.agent}</span>
              <span class="small dim cut">
                {working.length > 1 ? `and ${working.length - 1} more at work` : pane?.doing || 'at work'}
              </span>
            </span>
          </a>
        </section>
      )}
    </div>
  )
}
