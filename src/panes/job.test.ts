import { describe, expect, it } from 'vitest'
import { createRedactor } from '../text/index.js'
import { isPlainShell, jobName, jobNames, shownCommand } from './job.js'

describe('jobName', () => {
  it.each([
    ['vim notes.txt', 'vim'],
    ['/usr/bin/node /opt/codex/bin/codex.js --model x', 'codex'],
    ['python3 -m http.server 8000', 'http.server'],
    ['env FOO=1 claude', 'claude'],
    ['sudo -E npx gemini', 'gemini'],
    ['uv run tool.py', 'tool'],
    ['bash -c claude\\ --resume', 'claude\\'],
    ['-zsh', 'zsh'],
  ])('%s is %s', (line, name) => {
    expect(jobName(line.split(' '))).toBe(name)
  })

  it.each([
    ['python3 x.py', ['x', 'python3', 'python']],
    ['/usr/bin/python3.12 -m http.server', ['http.server', 'python3.12', 'python']],
    ['env A=1 node server.js', ['server', 'node', 'env']],
    ['npx codex', ['codex', 'npx']],
    ['npm exec codex --full-auto', ['codex', 'npm exec']],
    ['uv run x.py', ['x', 'uv']],
    ['npm run dev', ['npm']],
  ])('%s can be listed as %s', (line, names) => {
    expect(jobNames(line.split(' '))).toEqual(names)
  })

  it('jobName does not name a shell that runs a script as a plain shell', () => {
    expect([isPlainShell(['-bash']), isPlainShell(['bash', 'run.sh']), isPlainShell(['sh', '-c', 'ls'])]).toEqual([
      true,
      false,
      false,
    ])
    expect(isPlainShell(['bash', '--rcfile', '/tmp/rc', '-i'])).toBe(true)
  })
})

describe('shownCommand', () => {
  const redactor = createRedactor()
  it.each([
    'curl -H Bearer\u0000 abcdefghijklmnop1234567890abcdef12',
    'mysql --password hunter2secret',
    'deploy --api-key s3cr3t-value-here',
    'git clone https://me:hunter2@example.org/x',
    'OPENAI_API_KEY=sk-abcdefghijklmnopqrstuvwx run',
    'run --token ghp_0123456789abcdefghijABCDEFGHIJ012345',
  ])('shows no secret of %j', line => {
    const shown = shownCommand(line.split(' '), redactor, 500)
    for (const secret of ['hunter2', 's3cr3t', 'sk-abc', 'ghp_0', 'abcdefghijklmnop1234567890abcdef12'])
      expect(shown).not.toContain(secret)
    expect(shown).not.toMatch(/\p{Cc}/u)
  })

  it('cuts a command only beyond `command_max`', () => {
    expect(shownCommand(['echo', 'x'.repeat(5)], redactor, 10)).toBe('echo xxxxx')
    expect(shownCommand(['echo', 'x y z'.repeat(5)], redactor, 10)).toHaveLength(10)
  })
})

describe('the job of a command line', () => {
  it.each([
    [['/usr/bin/node', '/opt/codex/bin/codex.js', '--x'], 'codex'],
    [['python3', '-m', 'http.server', '8000'], 'http.server'],
    [['python3', '-c', 'print(1)'], 'python3'],
    [['npx', '-y', 'gemini'], 'gemini'],
    [['env', 'A=1', 'claude'], 'claude'],
    [['sudo', '-E', 'vim', 'x'], 'vim'],
    [['sh', '-c', 'make test'], 'make'],
    [['-bash'], 'bash'],
    [['node'], 'node'],
    [[], null],
  ])('%j is %s', (words, name) => expect(jobName(words)).toBe(name))

  it('is recognised as a plain shell', () => {
    expect([
      isPlainShell(['-bash']),
      isPlainShell(['bash', '-l']),
      isPlainShell(['bash', 'x.sh']),
      isPlainShell(['sh', '-c', 'x']),
    ]).toEqual([true, true, false, false])
  })

  it('is shown shortened, without control characters and secrets', () => {
    const redactor = createRedactor()
    const shown = shownCommand(['curl', '--token', 'abcdefgh12345678', 'a\u001b[31mb\n'], redactor, 80)
    expect(shown).not.toContain('abcdefgh12345678')
    expect(shown).not.toMatch(/\p{Cc}/u)
    expect(shownCommand(['x'.repeat(100)], redactor, 50)).toHaveLength(50)
  })
})
