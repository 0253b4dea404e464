import { formatBytes } from '../api/format'
import { isOwner } from '../store/live'
import { attempt } from '../store/toasts'
import { getJson, postJson } from '../transport/request'
import { Panel, Problem, Section, Skeleton } from '../ui/panel'
import { type Aspect, StatusBadge } from '../ui/status'
import { useLoad } from '../ui/use-load'

interface Check {
  check: string
  level: 'ok' | 'note' | 'warning' | 'error'
  message: string
  next?: string
  isFixable?: boolean
}

const ASPECT: Readonly<Record<Check['level'], Aspect>> = {
  ok: { word: 'good', tone: 'clear', shape: 'tick' },
  note: { word: 'note', tone: 'lunar', shape: 'ring' },
  warning: { word: 'look', tone: 'caution', shape: 'triangle' },
  error: { word: 'bad', tone: 'danger', shape: 'square' },
}

/** Checks, each with the one line that cures it. */
export function DoctorTab() {
  const doctor = useLoad('doctor', signal => getJson<{ items: Check[] }>('/doctor', { signal }))
  const health = useLoad('health', signal => getJson<Record<string, unknown>>('/health', { signal }))
  const checks = doctor.value?.items ?? []
  const fix = (check: Check) =>
    attempt(() => postJson(`/doctor/fix/${encodeURIComponent(check.check)}`), 'Done').then(doctor.reload)
  return (
    <>
      <Section
        title="Checks"
        tools={
          <button type="button" class="btn" onClick={doctor.reload}>
            Check again
          </button>
        }
      >
        {doctor.value ? (
          <ul class="list">
            {checks.map(check => (
              <li key={`${check.check} ${check.message}`} class="line-item doctor-line">
                <StatusBadge aspect={ASPECT[check.level]} />
                <span class="what">
                  <span class="strong">{check.check}</span> <span class="soft">{check.message}</span>
                  {check.next && (
                    <span class="small" style={{ display: 'block' }}>
                      {check.next}
                    </span>
                  )}
                </span>
                {check.isFixable ? (
                  <button type="button" class="btn" disabled={!isOwner.value} onClick={() => void fix(check)}>
                    Fix
                  </button>
                ) : (
                  <span />
                )}
              </li>
            ))}
          </ul>
        ) : doctor.error ? (
          <Problem error={doctor.error} retry={doctor.reload} />
        ) : (
          <Skeleton lines={4} />
        )}
      </Section>
      <Panel title="Health">
        {health.value ? (
          <dl class="kv pad">
            {Object.entries(health.value).map(([name, value]) => (
              <>
                <dt key={name}>{name}</dt>
                <dd class="mono small">{healthText(name, value)}</dd>
              </>
            ))}
          </dl>
        ) : (
          <div class="pad">
            {health.error ? <Problem error={health.error} retry={health.reload} /> : <Skeleton lines={2} />}
          </div>
        )}
      </Panel>
    </>
  )
}

function healthText(name: string, value: unknown): string {
  if (typeof value === 'number' && /bytes|size|free/i.test(name)) return formatBytes(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
