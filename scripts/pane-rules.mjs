// Two other rules for the status of an agent in a pane, for comparison. Each is `(look) → 'work' |
// 'asks' | 'idle'`.

/**
 * Words on the last 30 rows, as ccmanager documents its own detection: one phrase means that the
 * agent asks, another that it works, and everything else is idle. The documentation names phrases
 * for Claude Code and Gemini CLI, after the bar of a frame; newer screens have no such bar, so it
 * is not required here, which helps the rule. It names none for other agents: their phrases here
 * are ours, in the same style and untuned, and agents without an entry are read like Claude Code.
 * So only the rows of `claude` and `gemini` compare with that project, and with what it documents,
 * not with its newest release.
 */
const PHRASES = {
  claude: { asks: [/do you want/i, /would you like/i], works: [/esc to interrupt/i] },
  gemini: { asks: [/apply this change/i, /allow execution/i, /do you want to proceed/i], works: [/esc to cancel/i] },
  codex: { asks: [/allow command\?/i, /\[y\/n\]/i, /press enter to confirm/i], works: [/esc to interrupt/i] },
  copilot: { asks: [/do you want/i], works: [/esc to cancel/i] },
  opencode: { asks: [/permission required/i], works: [/esc.*interrupt/i] },
  cline: { asks: [/let cline use this tool/i], works: [/esc to cancel/i, /thinking/i] },
}

export function wordsOnScreen(agent, rows) {
  const { asks, works } = PHRASES[agent] ?? PHRASES.claude
  const text = rows.slice(-30).join('\n')
  const hit = patterns => patterns.some(pattern => pattern.test(text))
  if (hit(asks)) return 'asks'
  return hit(works) ? 'work' : 'idle'
}

/** The screen did not change for two seconds: the agent is done. */
export function unchangedFor2s(t, changedAt) {
  return t - changedAt < 2 ? 'work' : 'idle'
}
