/**
 * What a service manager needs to start the daemon at login or boot. Both forms leave the keeper
 * alone when they stop the daemon: agents belong to the keeper, and continue.
 */
export interface ServiceProgram {
  /** The program of Node. */
  node: string
  /** The script of Signalbox. */
  script: string
  /** Variables of the person's shell that the daemon and its agents need. */
  env: Readonly<Record<string, string>>
}

export function systemdUnit({ node, script, env }: ServiceProgram): string {
  const variables = Object.entries(env).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`)
  return `[Unit]
Description=Signalbox: coding agents in terminals, and your approvals
Documentation=man:signalbox(1)

[Service]
ExecStart=${[node, script, 'serve'].map(quoted).join(' ')}
WorkingDirectory=/
${variables.join('\n')}
# The keeper and its agents stay when the daemon is stopped or replaced.
KillMode=process
Restart=on-failure
RestartSec=2

[Install]
WantedBy=default.target
`
}

/** As systemd reads a word: quotes and backslashes escaped, specifiers and variables literal. */
function quoted(word: string): string {
  return `"${word.replace(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`
}

export const LAUNCHD_LABEL = 'dev.signalbox.daemon'

export function launchdPlist({ node, script, env }: ServiceProgram, logFile: string): string {
  const variables = Object.entries(env).map(
    ([name, value]) => `    <key>${escaped(name)}</key><string>${escaped(value)}</string>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${LAUNCHD_LABEL}</string>
  <key>ProgramArguments</key>
  <array>
    ${[node, script, 'serve'].map(word => `<string>${escaped(word)}</string>`).join('\n    ')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join('\n')}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>AbandonProcessGroup</key><true/>
  <key>WorkingDirectory</key><string>/</string>
  <key>StandardErrorPath</key><string>${escaped(logFile)}</string>
</dict>
</plist>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
