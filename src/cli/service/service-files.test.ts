import { expect, test } from 'vitest'
import { launchdPlist, systemdUnit } from './service-files.js'
import { serviceManager } from './service-manager.js'

const program = {
  node: '/opt/node 22/bin/node',
  script: '/home/ada/100%/dist/cli.js',
  env: { PATH: '/a "b"\\c:$HOME/bin', SIGNALBOX_HOME: '/home/ada/<box>&' },
}

test('a systemd unit takes every word literally and does not stop the keeper', () => {
  const lines = systemdUnit(program).split('\n')
  expect(lines).toContain('ExecStart="/opt/node 22/bin/node" "/home/ada/100%%/dist/cli.js" "serve"')
  expect(lines).toContain('Environment="PATH=/a \\"b\\"\\\\c:$$HOME/bin"')
  expect(lines).toContain('KillMode=process')
  expect(lines).toContain('WantedBy=default.target')
})

test('a launchd agent starts at login, restarts only after a failure, and does not stop the keeper', () => {
  const plist = launchdPlist(program, '/logs/daemon.log')
  expect(plist).toContain('<string>/home/ada/&lt;box&gt;&amp;</string>')
  expect(plist).toContain('<key>RunAtLoad</key><true/>')
  expect(plist).toContain('<key>SuccessfulExit</key><false/>')
  expect(plist).toContain('<key>AbandonProcessGroup</key><true/>')
})

test('each supported system has its own service manager, and other systems have none', () => {
  const at = (platform: NodeJS.Platform) => serviceManager({ HOME: '/home/ada' }, { platform, logFile: '/l' })
  expect(at('linux')?.file).toBe('/home/ada/.config/systemd/user/signalbox.service')
  expect(at('darwin')?.file).toBe('/home/ada/Library/LaunchAgents/dev.signalbox.daemon.plist')
  expect(at('win32')).toBeNull()
})
