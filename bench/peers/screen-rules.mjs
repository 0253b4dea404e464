// How herdr reads an agent's screen, written down again as data from its public sources
// (github.com/ogulcancelik/herdr, src/detect/manifests, as of July 2026; that of Claude Code is
// 2026.07.10.1): it is one binary that is not on npm, so it cannot be asked. It asks the same
// question as Signalbox: is the agent blocked by a question, at work, or idle? The first rule that
// holds answers it. Agents without public rules there are left out.
//
// A rule: `at` is the part of the screen (see partOf), `has` texts that must all occur, `one` texts
// of which one must occur, `like` an expression, `not` expressions that must not match. Texts are
// compared in lower case.

const BLOCKED = 'blocked'
const WORKING = 'working'
const IDLE = 'idle'

export const HERDR = {
  claude: [
    { is: WORKING, at: 'title', like: /^[\u2800-\u28ff] / },
    { is: 'as before', at: 'last 3', has: ['showing detailed transcript'] },
    {
      is: BLOCKED,
      at: 'after rule',
      has: ['enter to select', 'esc to cancel'],
      like: /(?:arrow keys|arrows|↑\/?↓) to navigate/,
    },
    { is: BLOCKED, at: 'screen', has: ['run a dynamic workflow?', 'esc to cancel'] },
    {
      is: WORKING,
      at: 'screen',
      like: /^\s*[·✢✳✶✻✽*+]\s\S.{0,40}…\s*\((?:\d+[hms]|esc to interrupt)/m,
      not: [/do you want to proceed\?|enter to select/],
    },
    {
      is: IDLE,
      at: 'input',
      like: /^\s*❯/m,
      not: [/enter to select|esc to cancel|tab\/arrow keys|arrow keys to navigate|↑\/↓ to navigate/],
    },
    {
      is: 'as before',
      at: 'screen',
      has: ['select model', 'enter to set as default', 'esc to cancel'],
      not: [/do you want to proceed\?|enter to select/],
    },
    {
      is: BLOCKED,
      at: 'screen',
      has: ['do you want to proceed?'],
      one: ['bash command', 'bash(', 'contains expansion', 'tab to amend', 'ctrl+e to explain'],
      like: /^\s*(?:❯?\s*yes\b|1\.\s*yes\b|2\.\s*no\b)/m,
    },
    {
      is: BLOCKED,
      at: 'after rule',
      has: ['do you want to proceed?', 'esc to cancel'],
      like: /^\s*(?:❯?\s*1\.\s*yes|2\.\s*(?:yes|no)|3\.\s*no)\b/m,
    },
    {
      is: BLOCKED,
      at: 'screen',
      like: /do you want to[\s\S]*(?:yes|❯)|would you like to[\s\S]*(?:yes|❯)|waiting for permission|do you want to allow this connection\?|tab to amend|ctrl\+e to explain|review your answers|skip interview and plan immediately/,
      not: [/^\s*❯\s*$/m],
    },
    { is: IDLE, at: 'title', like: /^\u2733 / },
  ],
  codex: [
    { is: BLOCKED, at: 'title', has: ['action required'] },
    { is: WORKING, at: 'title', like: /(?:^| )[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏](?: |$)/ },
    {
      is: BLOCKED,
      at: 'after prompt',
      one: [
        'press enter to confirm or esc to cancel',
        'enter to submit answer',
        'enter to submit all',
        'allow command?',
      ],
    },
    { is: BLOCKED, at: 'screen', like: /\[y\/n\]|yes \(y\)|(?:do you want to|would you like to)[\s\S]*(?:yes|❯)/ },
    { is: WORKING, at: 'last 3', like: /^[•◦]\s+working \([^)]*esc to interrupt\)(?: · .*)?$/m },
  ],
  copilot: [
    {
      is: BLOCKED,
      at: 'screen',
      like: /esc (?:to )?cancel/,
      one: ['enter to select', 'enter to confirm', 'enter to submit', 'enter accept'],
    },
    { is: WORKING, at: 'screen', one: ['esc to cancel', 'esc cancel', 'esc again to cancel', 'esc interrupt'] },
  ],
  pi: [
    { is: WORKING, at: 'last 3', like: /^ [⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /m },
    { is: WORKING, at: 'screen', one: ['working…', 'working...'] },
  ],
}

/** What a peer says about a screen: `blocked`, `working` or `idle`. */
export function readAs(rules, screen, before) {
  const found = rules.find(rule => holds(rule, partOf(screen, rule.at).toLowerCase()))
  const is = found?.is ?? IDLE
  return is === 'as before' ? before : is
}

function holds({ has = [], one, like, not = [] }, text) {
  return (
    has.every(part => text.includes(part)) &&
    (one === undefined || one.some(part => text.includes(part))) &&
    (like === undefined || like.test(text)) &&
    !not.some(part => part.test(text))
  )
}

const isRule = line => /^─{3,}$/.test(line.trim())

function partOf({ lines, title }, part) {
  const rules = lines.flatMap((line, index) => (isRule(line) ? [index] : []))
  switch (part) {
    case 'title':
      return title
    case 'last 3':
      return lines
        .filter(line => line.trim() !== '')
        .slice(-3)
        .join('\n')
    case 'after rule':
      return lines.slice((rules.at(-1) ?? -1) + 1).join('\n')
    case 'after prompt': {
      const at = lines.findLastIndex(line => /^\s*[›❯>]/.test(line))
      return lines.slice(Math.max(at, 0)).join('\n')
    }
    case 'input':
      return rules.length < 2 ? '' : lines.slice(rules.at(-2) + 1, rules.at(-1)).join('\n')
    case 'above input': {
      const above = (rules.length < 2 ? lines : lines.slice(0, rules.at(-2))).join('\n').trimEnd()
      return above
        .split(/\n\s*\n/)
        .at(-1)
        .split('\n')
        .slice(-5)
        .join('\n')
    }
    default:
      return lines.slice(-30).join('\n').trimEnd()
  }
}
