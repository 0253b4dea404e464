import type { Menu } from './menu/menu.js'
import type { Awaiting } from './observation.js'
import type { Pack } from './pack/pack.js'
import type { RuleMatch } from './rules.js'
import type { ScreenRow } from './screen-row.js'
import type { Payload } from './view.js'

type Values = Record<string, string | number>

export function awaitingOf(menu: Omit<Menu, 'live'>): Awaiting {
  if (menu.origin === 'user') return 'picker'
  switch (menu.kind) {
    case 'permission':
    case 'question':
    case 'plan':
    case 'trust':
    case 'auth':
    case 'api_key':
    case 'picker':
    case 'input':
      return menu.kind
    default:
      return 'choice'
  }
}

export function thinkingPayload(values: Values, match: RuleMatch | null): Payload['thinking'] {
  const isRetry = values.attempt !== undefined || match?.rule.id.includes('retry')
  return {
    ...(typeof values.label === 'string' && { label: values.label }),
    ...(typeof values.elapsed === 'number' && { elapsedS: values.elapsed }),
    ...(typeof values.tokens === 'number' && { tokens: values.tokens }),
    ...(typeof values.effort === 'string' && { effort: values.effort }),
    compacting: match?.rule.id.includes('compact') ?? false,
    ...(isRetry && {
      retry: {
        attempt: Number(values.attempt ?? 1),
        of: values.of === undefined ? null : Number(values.of),
        inS: values.in === undefined ? null : Number(values.in),
        reason: String(values.reason ?? match?.text.trim() ?? ''),
      },
    }),
  }
}

const ERROR_KINDS: [RegExp, Payload['error']['kind']][] = [
  [/usage limit|limit reached|hit your .*limit|quota/iu, 'usage_limit'],
  [/\b429\b|rate.?limit|too many requests/iu, 'rate_limit'],
  [/credit|billing|balance/iu, 'credit'],
  [/context|too long|maximum.*tokens/iu, 'context_full'],
  [/\bmcp\b/iu, 'mcp'],
  [/connect|network|timed? ?out|disconnected|refused|ECONN|ENOTFOUND|offline/iu, 'network'],
  [/\b[45]\d\d\b|api error|overloaded|unauthori[sz]ed|invalid api key/iu, 'api'],
  [/model/iu, 'model'],
]

export function errorPayload(match: RuleMatch | null, message: string, isFinal: boolean): Payload['error'] {
  const text = message.trim()
  const status = /\b([45]\d\d)\b/u.exec(text)?.[1]
  const resets = /(?:resets?|try again)(?: at)? (?<time>\d{1,2}(?::\d{2})?\s*(?:[ap]m)?)/iu.exec(text)?.groups?.time
  return {
    kind:
      (match?.values.kind as Payload['error']['kind'] | undefined) ??
      ERROR_KINDS.find(([pattern]) => pattern.test(text))?.[1] ??
      'internal',
    ...(status && { status: Number(status) }),
    message: text.slice(0, 500),
    ...(resets && { resetsAt: resets }),
    final: isFinal,
  }
}

export function agentsPayload(rows: readonly ScreenRow[], pack: Pack, match: RuleMatch): Payload['parallel_agents'] {
  const panel = pack.panels.find(entry => entry.name === 'agents')
  const listed = panel ? rows.filter(row => panel.more?.test(row.text)) : []
  const agents = listed.map(row => ({
    name: row.text
      .trim()
      .replace(/^\S+\s+/u, '')
      .split(/\s{2,}/u)[0]!,
    state: /[✔✓]/u.test(row.text) ? 'done' : 'running',
  }))
  const count = Number(match.values.count ?? agents.length ?? 1) || 1
  return {
    count,
    running: agents.length > 0 ? agents.filter(agent => agent.state === 'running').length : count,
    agents,
  }
}

export function backgroundPayload(match: RuleMatch): Payload['background_task'] {
  const count = Number(match.values.count ?? 1) || 1
  const word = String(match.values.kind ?? 'shell')
  const kind = /agent/iu.test(word) ? 'agent' : /workflow/iu.test(word) ? 'workflow' : 'shell'
  return { count, tasks: Array.from({ length: count }, () => ({ kind, state: 'running' })) }
}

const PROMPTS = ['agent', 'shell', 'repl', 'debugger', 'pager', 'editor'] as const

export function promptKind(pack: Pack, match: RuleMatch | null): Payload['idle_prompt']['prompt'] {
  const named = PROMPTS.find(kind => match?.rule.id.startsWith(kind))
  return named ?? (pack.agent === 'generic' ? 'shell' : 'agent')
}
