/**
 * Defects of other bots. A test with the defect in its name proves that this bot does not have it.
 */
const REGRESSIONS = {
  'earlier/callback-bytes': 'an earlier bot: callback data with a path over 64 bytes',
  'earlier/session-option': 'an earlier bot: the session option unreachable because only Allow and Deny were drawn',
  'earlier/forbidden': 'an earlier bot: Forbidden killing a session',
  'earlier/edit-pace': 'an earlier bot: edits at 3/s',
  'earlier/lost-sessions': 'an earlier bot: all old sessions silently lost after restart',
  'earlier/dead-settings': 'an earlier bot: settings that exist but do nothing',
  'earlier/false-duplicates': 'an earlier bot: repeated lines swallowed as duplicates',
  'earlier/two-renderings': 'an earlier bot: different rendering while streaming and at the end',
  'earlier/menu-anywhere': 'an earlier bot: a menu anywhere on screen, or an old one, taken as live',
  'earlier/text-into-approval': 'an earlier bot: text sent while an approval is open',
  'earlier/text-and-enter': 'an earlier bot: text and Enter in one write',
  'hapi/callbacks': 'tiann/hapi callbacks: a stale button approving another open request',
  'plugins/4003': 'anthropics/claude-plugins-official #4003: pollers stacked after 409',
  'plugins/2857': 'anthropics/claude-plugins-official #2857: giving up after 36 s while the slot is held 50 s',
  'claude-code/83948': 'anthropics/claude-code #83948: "connected" while deaf',
  'claude-code/67759': 'anthropics/claude-code #67759: updates confirmed whose handlers never ran',
  'plugins/1046': 'anthropics/claude-plugins-official #1046: "Allowed" shown, agent never told',
  'cursor-remote/21': 'len5ky/CursorRemote #21: callback map in memory only, lost on restart',
  'openclaw/60314': 'openclaw/openclaw #60314: time-out falls back to allow',
  'openclaw/68918': 'openclaw/openclaw #68918: receivers treated as approvers',
  'openclaw/73756': 'openclaw/openclaw #73756: open policy beats the allow-list',
  'openclaw/40753': 'openclaw/openclaw #40753: callbacks unchecked',
  'openclaw/73698': 'openclaw/openclaw #73698: forwarded context acting as a command',
  'hapi/564': 'tiann/hapi #564: notice without project, session, reason',
  'superset/1785': 'superset-sh/superset #1785: notices for sub-agents',
  'cmux/4745': 'manaflow-ai/cmux #4745: notices for loops',
  'chatgpt-telegram/22': 'm1guelpf/chatgpt-telegram #22: naive edits into 429',
  'drafts/429': 'several draft bots: 429 read as "drafts unsupported"',
  'drafts/only-copy': 'several draft bots: finished answer lost because the draft was the only copy',
  'drafts/degraded': 'several draft bots: rich answer degraded to plain on the last edit',
  'drafts/unmarked-double': 'several draft bots: an unmarked double after a time-out',
  'claude-code/2.1.211': 'anthropics/claude-code 2.1.211: bidi and zero-width characters hiding part of a request',
  'claude-code/2.1.223': 'anthropics/claude-code 2.1.223: look-alike quotes, tabs or padding hiding part of a request',
} as const

export type Regression = keyof typeof REGRESSIONS

/** The name of a test: the defect elsewhere, and the behaviour here. */
export function regression(rows: Regression | readonly Regression[], here: string): string {
  const names = [rows].flat().map(row => REGRESSIONS[row])
  return `${names.join(' + ')} → ${here}`
}
