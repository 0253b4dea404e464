/**
 * Menus as agents draw them, for tests that quote them as text. The words are ours, the shapes the
 * agents'.
 */
export const MENUS: Record<string, string[]> = {
  'numbered with pointer': [
    ' Do you want to proceed?',
    ' ❯ 1. Yes',
    '   2. Yes, and don’t ask again for: npm test *',
    '   3. No',
    '',
    ' Esc to cancel · Tab to amend',
  ],
  'pointer at the edge': [
    'Which database should we use?',
    '❯ 1. PostgreSQL',
    '     Strict and known',
    '  2. SQLite',
    '     One file',
    '  3. Type something.',
    '',
    'Enter to select · ↑/↓ to navigate · Esc to cancel',
  ],
  'unnumbered, no first': [
    ' Accessing workspace:',
    ' /home/kim/app',
    ' ❯ No, exit',
    '   Yes, I trust this folder',
    '',
    ' Enter to confirm · Esc to cancel',
  ],
  'angle pointer': [
    '  Would you like to run the following command?',
    '  $ rm -rf build',
    '› 1. Yes, proceed (y)',
    '  2. Yes, and don’t ask again for commands that start with rm (p)',
    '  3. No, and tell the agent what to do differently (esc)',
    '',
    '  Press enter to confirm or esc to cancel',
  ],
  boxed: [
    '╭──────────────────────────────────────╮',
    '│ ? Shell  node slow.js                │',
    '│ Allow execution of [Shell]?          │',
    '│                                      │',
    '│ ● 1. Allow once                      │',
    '│   2. Allow for this session          │',
    '│   3. No, suggest changes (esc)       │',
    '╰──────────────────────────────────────╯',
  ],
  horizontal: [
    '△ Permission required',
    '# Shell command',
    '$ node slow.js',
    ' Allow once   Allow always   Reject   ⇆ select  enter confirm',
  ],
  keyed: ['Approve tool call?', 'run_commands', '  $ node slow.js', ' [y] Approve   [n] Deny'],
  'check boxes': [
    '←  ☐ Features  ☒ Style  ✔ Submit  →',
    'Which features do you want?',
    '❯ 1. [ ] Logging',
    '  2. [✔] Metrics',
    '  3. [ ] Tracing',
    '     Next',
    'Enter to select · Tab/Arrow keys to navigate · Esc to cancel',
  ],
  inline: ['Overwrite the file? [y/N]'],
  password: ['Password:'],
  'login list': [
    'Select login method:',
    ' ❯ 1. Account with subscription',
    '   2. API usage billing',
    '   3. Third-party platform',
  ],
  'arrow pointer': [
    ' Trust project folder?',
    ' → Trust',
    '   Trust parent folder (/home)',
    '   Do not trust',
    '',
    ' ↑↓ navigate  enter select  escape/ctrl+c cancel',
  ],
}

/** Other parts of a screen that are text when they are quoted. */
export const LOOKALIKES: Record<string, string[]> = {
  spinner: [
    '✻ Cogitating… (12s · ↓ 300 tokens)',
    '⠋ Thinking... (esc to cancel, 3s)',
    '• Working (12s • esc to interrupt)',
  ],
  error: [
    'API Error: 500 Internal server error',
    '■ unexpected status 401 Unauthorized',
    'Error: 429: too many requests',
  ],
  'input box': ['────────────────────────────', '❯ ', '────────────────────────────', '  ? for shortcuts'],
  'turn end': ['✻ Worked for 5s · done 1:42 AM', '  Worked for 6s • 01:36'],
  'sign-in': ['⎿  Not logged in · Please run /login', 'Select login method:'],
}
