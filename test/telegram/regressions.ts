/** What went wrong in bots before this one, row by row as they were collected. Each is proven not to happen here by a test of its name. */
export const REGRESSIONS = {
  'original/callback-bytes': 'the original bot: callback data with a path over 64 bytes',
  'original/session-option': 'the original bot: the session option unreachable because only Allow and Deny were drawn',
  'original/forbidden': 'the original bot: Forbidden killing a session',
  'original/edit-pace': 'the original bot: edits at 3/s',
  'original/lost-sessions': 'the original bot: all old sessions silently lost after restart',
  'original/dead-settings': 'the original bot: settings that exist but do nothing',
  'original/false-duplicates': 'the original bot: repeated lines swallowed as duplicates',
  'original/two-renderings': 'the original bot: different rendering while streaming and at the end',
  'original/menu-anywhere': 'the original bot: a menu anywhere on screen, or an old one, taken as live',
  'original/text-into-approval': 'the original bot: text sent while an approval is open',
  'original/text-and-enter': 'the original bot: text and Enter in one write',
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

/** The name of a test: what went wrong elsewhere, and what happens here. */
export function was(rows: Regression | readonly Regression[], here: string): string {
  const names = [rows].flat().map(row => REGRESSIONS[row])
  return `${names.join(' + ')} → ${here}`
}
