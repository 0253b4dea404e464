import { formatBytes, formatSpan, formatTook, plural, timeOf } from '../api/format'
import type { Finding, Findings, Health } from '../api/types'
import { isOwner } from '../store/live'
import { isDeveloper } from '../store/prefs'
import { attempt, sentence } from '../store/toasts'
import { getJson, postJson } from '../transport/request'
import { Panel, Problem, Section, Skeleton } from '../ui/panel'
import { type Badge, StatusBadge } from '../ui/status'
import { useLoad } from '../ui/use-load'

const LEVELS: Readonly<Record<Finding['level'], Badge>> = {
  ok: { word: 'OK', tone: 'active', shape: 'tick' },
  note: { word: 'Note', tone: 'done', shape: 'ring' },
  warning: { word: 'Warning', tone: 'warning', shape: 'triangle' },
  error: { word: 'Error', tone: 'danger', shape: 'square' },
}

/** An agent that is not installed needs no line of its own. */
function isAbsent({ level, agent }: Finding): boolean {
  return level === 'note' && agent?.file === null
}

function FindingLine({ finding, onFix }: { finding: Finding; onFix(finding: Finding): Promise<void> }) {
  const { check, level, message, next, isFixable } = finding
  return (
    <li class="line-item doctor-line">
      <StatusBadge badge={LEVELS[level]} />
      <span class="what">
        <span class="strong">{sentence(check)}</span> <span class="soft">{message}</span>
        {next && (
          <span class="small" style={{ display: 'block' }}>
            {/^signalbox /.test(next) ? <code>{next}</code> : sentence(next)}
          </span>
        )}
      </span>
      {isFixable ? (
        <button type="button" class="btn" disabled={!isOwner.value} onClick={() => void onFix(finding)}>
          Fix
        </button>
      ) : (
        <span />
      )}
    </li>
  )
}

function AbsentAgents({ findings }: { findings: readonly Finding[] }) {
  return (
    <li class="line-item doctor-line">
      <StatusBadge badge={LEVELS.note} />
      <details class="what">
        <summary>
          <span class="strong">Agents</span>{' '}
          <span class="soft">
            not installed: {findings.map(({ agent, check }) => agent?.title ?? check).join(', ')}
          </span>
        </summary>
        <ul class="stack small">
          {findings.map(({ check, agent, next }) => (
            <li key={check}>
              <span class="strong">{agent?.title}</span> {next}
            </li>
          ))}
        </ul>
      </details>
      <span />
    </li>
  )
}

/** The checks of `signalbox doctor`, each with its next step. */
export function DoctorTab() {
  const doctor = useLoad('doctor', signal => getJson<Findings>('/doctor', { signal }))
  const health = useLoad('health', signal => getJson<Health>('/health', { signal }))
  const findings = doctor.value?.items ?? []
  const absent = findings.filter(isAbsent)
  // How busy the daemon was is among the sentences above; its figures are for developers.
  const shown = findings.filter(finding => !isAbsent(finding) && (finding.check !== 'event loop' || isDeveloper.value))
  const passed = shown.filter(({ level }) => level === 'ok')
  const fix = ({ check }: Finding) =>
    attempt(() => postJson(`/doctor/fix/${encodeURIComponent(check)}`), 'Fixed').then(doctor.reload)
  return (
    <>
      <Panel title="Health">
        {health.value ? (
          <ul class="pad stack health">
            {healthSentences(health.value).map(({ text, isBad }) => (
              <li key={text} class={isBad ? 'tone-danger' : ''}>
                {text}
              </li>
            ))}
          </ul>
        ) : (
          <div class="pad">
            {health.error ? <Problem error={health.error} retry={health.reload} /> : <Skeleton lines={2} />}
          </div>
        )}
        {health.value && isDeveloper.value && (
          <dl class="kv pad">
            {Object.entries(health.value).map(([name, value]) => (
              <>
                <dt key={name}>{name}</dt>
                <dd class="mono small">{JSON.stringify(value)}</dd>
              </>
            ))}
          </dl>
        )}
      </Panel>
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
            {shown
              .filter(({ level }) => level !== 'ok')
              .map(finding => (
                <FindingLine key={`${finding.check} ${finding.message}`} finding={finding} onFix={fix} />
              ))}
            {absent.length > 0 && <AbsentAgents findings={absent} />}
            <li class="line-item doctor-line">
              <StatusBadge badge={LEVELS.ok} />
              <details class="what">
                <summary>{plural(passed.length, 'check')} passed</summary>
                <ul class="stack small">
                  {passed.map(({ check, message }) => (
                    <li key={check}>
                      <span class="strong">{sentence(check)}</span> <span class="soft">{message}</span>
                    </li>
                  ))}
                </ul>
              </details>
              <span />
            </li>
          </ul>
        ) : doctor.error ? (
          <Problem error={doctor.error} retry={doctor.reload} />
        ) : (
          <Skeleton lines={4} />
        )}
      </Section>
    </>
  )
}

const TELEGRAM: Readonly<Record<string, string>> = {
  off: 'Telegram is not set up.',
  starting: 'The Telegram bot is starting.',
  connected: 'The Telegram bot is connected.',
  'not-receiving': 'The Telegram bot receives no messages.',
  unauthorized: 'Telegram refused the token of the bot.',
  stopped: 'The Telegram bot has stopped.',
}

/** What the figures mean, for a person; developer mode shows the figures. */
function healthSentences(health: Health): { text: string; isBad?: boolean }[] {
  const { disk, runs, telegram, catchingUp, readers, lockdownSince } = health
  const up = formatSpan(timeOf(health.now) - timeOf(health.startedAt))
  const isFull = disk.freeMb < disk.leastMb
  const slow = health.loop.recent?.ms ?? 0
  return [
    { text: `Signalbox ${health.version} has been running for ${up}.` },
    { text: `${plural(health.sessions, 'live session')}, ${plural(runs.open, 'open run')}.` },
    ...(catchingUp > 0
      ? [{ text: `${plural(catchingUp, 'session')} ${catchingUp === 1 ? 'is' : 'are'} catching up.` }]
      : []),
    {
      text: `History uses ${formatBytes(health.storeBytes)}; ${formatBytes(disk.freeMb * 1_048_576)} of disk space are free${isFull ? ', which is too little for new sessions' : ''}.`,
      isBad: isFull,
    },
    slow > SLOW_MS
      ? { text: `It did not respond for up to ${formatTook(slow)} in the last 5 minutes.`, isBad: true }
      : { text: 'It answers without delay.' },
    ...(readers.failures > 0
      ? [{ text: `Reading terminals failed ${plural(readers.failures, 'time')} and was restarted.`, isBad: true }]
      : []),
    { text: TELEGRAM[telegram.state] ?? `Telegram: ${telegram.state}.`, isBad: IS_BAD.has(telegram.state) },
    ...(lockdownSince ? [{ text: 'Locked down: only denials are accepted.', isBad: true }] : []),
  ]
}

const SLOW_MS = 500
const IS_BAD = new Set(['not-receiving', 'unauthorized', 'stopped'])
