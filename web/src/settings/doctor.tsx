import { formatBytes } from '../api/format'
import type { Finding, Findings, Health } from '../api/types'
import { isOwner } from '../store/live'
import { attempt } from '../store/toasts'
import { getJson, postJson } from '../transport/request'
import { Panel, Problem, Section, Skeleton } from '../ui/panel'
import { type Badge, StatusBadge } from '../ui/status'
import { useLoad } from '../ui/use-load'

const LEVELS: Readonly<Record<Finding['level'], Badge>> = {
  ok: { word: 'ok', tone: 'active', shape: 'tick' },
  note: { word: 'note', tone: 'done', shape: 'ring' },
  warning: { word: 'warning', tone: 'warning', shape: 'triangle' },
  error: { word: 'error', tone: 'danger', shape: 'square' },
}

/** The checks of `signalbox doctor`, each with its next step. */
export function DoctorTab() {
  const doctor = useLoad('doctor', signal => getJson<Findings>('/doctor', { signal }))
  const health = useLoad('health', signal => getJson<Health>('/health', { signal }))
  const findings = doctor.value?.items ?? []
  const fix = ({ check }: Finding) =>
    attempt(() => postJson(`/doctor/fix/${encodeURIComponent(check)}`), 'Fixed').then(doctor.reload)
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
            {findings.map(finding => (
              <li key={`${finding.check} ${finding.message}`} class="line-item doctor-line">
                <StatusBadge badge={LEVELS[finding.level]} />
                <span class="what">
                  <span class="strong">{finding.check}</span> <span class="soft">{finding.message}</span>
                  {finding.next && (
                    <span class="small" style={{ display: 'block' }}>
                      {finding.next}
                    </span>
                  )}
                </span>
                {finding.isFixable ? (
                  <button type="button" class="btn" disabled={!isOwner.value} onClick={() => void fix(finding)}>
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
                <dt key={name}>{wordsOf(name)}</dt>
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
  if (typeof value === 'number' && name.endsWith('Bytes')) return formatBytes(value)
  if (typeof value === 'number' && name.endsWith('Mb')) return formatBytes(value * 1_000_000)
  if (value === null) return '–'
  if (Array.isArray(value)) return value.map(item => healthText(name, item)).join(', ')
  if (typeof value !== 'object') return String(value)
  return Object.entries(value)
    .map(([key, part]) => `${wordsOf(key)} ${healthText(key, part)}`)
    .join(', ')
}

/** `storeBytes` as people write it; the value has its unit. */
function wordsOf(name: string): string {
  return name.replace(/(Bytes|Mb)$/, '').replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
}
