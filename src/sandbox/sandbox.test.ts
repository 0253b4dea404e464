import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bubblewrapCommand } from './bubblewrap.js'
import { containerCommand } from './container.js'
import { createAgentDirectories, type PlanRequest, planSandbox } from './plan.js'
import { isAllowedHost } from './proxy.js'
import { seatbeltProfile } from './seatbelt.js'
import { seccompFilter } from './seccomp.js'

let directory: string
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-sandbox-')))
  for (const name of ['home/.claude', 'home/.ssh', 'home/project/.git/hooks', 'signalbox', 'own'])
    mkdirSync(join(directory, name), { recursive: true })
  writeFileSync(join(directory, 'home/project/.git/config'), '')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const at = (...parts: string[]) => join(directory, ...parts)
const plan = (fields: Partial<PlanRequest> = {}, policy: Partial<PlanRequest['policy']> = {}) =>
  planSandbox({
    agent: 'claude',
    file: '/bin/sh',
    cwd: at('home/project'),
    home: at('home'),
    env: {
      PATH: '/usr/bin',
      HOME: at('home'),
      ANTHROPIC_API_KEY: 'k',
      GITHUB_TOKEN: 't',
      SSH_AUTH_SOCK: '/s',
      MINE: 'm',
    },
    policy: { network: 'filtered', hosts: ['example.com'], read: [], write: [], env: [], ...policy },
    hidden: [at('signalbox')],
    own: [{ path: at('own'), access: 'read', why: 'hooks' }],
    programs: [],
    ...fields,
  })
/** What a path is in the sandbox: the last entry that covers it. */
const accessOf = (path: string, { paths } = plan()) =>
  paths.filter(entry => `${path}/`.startsWith(entry.path === '/' ? '/' : `${entry.path}/`)).at(-1)!.access

describe('the plan of a sandbox', () => {
  it('shows the system read-only, the project writable, and only needed parts of the home', () => {
    expect(accessOf('/usr/bin')).toBe('read')
    expect(accessOf(at('home/project/src'))).toBe('write')
    expect(accessOf(at('home/.claude'))).toBe('write')
    expect(accessOf(at('home/.ssh'))).toBe('private')
    expect(accessOf(at('signalbox'))).toBe('private')
    expect(accessOf('/run/docker.sock')).toBe('private')
    expect(accessOf(at('own'))).toBe('read')
  })

  it('uses the lists of a person’s own profile, and refuses a file that is not a profile', () => {
    const file = at('packs/claude/sandbox/profile.toml')
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, 'hosts = ["models.example.com"]\nread = ["~/.ssh"]\n')
    const own = plan({ packs: at('packs') })
    expect(own.hosts).toEqual(['models.example.com', 'example.com'])
    expect(accessOf(at('home/.ssh'), own)).toBe('read')
    expect(accessOf(at('home/.claude'), own)).toBe('write')
    writeFileSync(file, 'host = ["models.example.com"]\n')
    expect(() => plan({ packs: at('packs') })).toThrow(/is not a profile of a sandbox: it: Unrecognized key/)
  })

  it('keeps the files that git executes read-only', () => {
    expect(accessOf(at('home/project/.git/hooks'))).toBe('read')
    expect(accessOf(at('home/project/.git/config'))).toBe('read')
    expect(accessOf(at('home/project/.git/objects'))).toBe('write')
  })

  it('makes a repository its own mount, so that it cannot be renamed', () => {
    const { paths } = plan()
    const at_ = paths.findIndex(({ path }) => path === at('home/project/.git'))
    expect(paths[at_]).toMatchObject({ access: 'write' })
    expect(paths.findIndex(({ path }) => path === at('home/project/.git/config'))).toBeGreaterThan(at_)
  })

  it('lets a worktree write its own state, but no other worktree’s and not its repository link', () => {
    rmSync(at('home/project/.git'), { recursive: true })
    const repository = at('home/repository/.git')
    for (const name of ['mine', 'other']) mkdirSync(join(repository, 'worktrees', name), { recursive: true })
    writeFileSync(join(repository, 'config'), '')
    writeFileSync(join(repository, 'worktrees/mine/commondir'), '../..\n')
    writeFileSync(join(repository, 'worktrees/mine/gitdir'), `${at('home/project/.git')}\n`)
    writeFileSync(at('home/project/.git'), `gitdir: ${join(repository, 'worktrees/mine')}\n`)
    const access = (name: string) => accessOf(join(repository, name))
    expect(['objects', 'worktrees/mine/index'].map(access)).toEqual(['write', 'write'])
    expect(['config', 'worktrees/mine/commondir', 'worktrees/mine/gitdir', 'worktrees/other'].map(access)).toEqual(
      Array(4).fill('read'),
    )
    expect(accessOf(at('home/project/.git'))).toBe('read')
  })

  it('protects settings that start programs, and copies the file that the agent always writes', () => {
    createAgentDirectories('claude', { home: at('home'), cwd: at('home/project'), env: {}, packs: null })
    writeFileSync(at('home/.claude.json'), '{}')
    expect(accessOf(at('home/.claude/settings.json'))).toBe('read')
    expect(accessOf(at('home/.claude/projects'))).toBe('write')
    expect(plan().paths).toContainEqual(expect.objectContaining({ path: at('home/.claude.json'), isCopy: true }))
    const elsewhere = { PATH: '/usr/bin', CLAUDE_CONFIG_DIR: at('own') }
    createAgentDirectories('claude', { home: at('home'), cwd: at('home/project'), env: elsewhere, packs: null })
    expect(accessOf(at('own/settings.json'), plan({ env: elsewhere, own: [] }))).toBe('read')
    expect(accessOf(at('own/history'), plan({ env: elsewhere, own: [] }))).toBe('write')
  })

  it('does not follow a .git file to a repository that does not know it', () => {
    rmSync(at('home/project/.git'), { recursive: true })
    writeFileSync(at('home/project/.git'), `gitdir: ${at('home/.ssh')}\n`)
    expect(accessOf(at('home/.ssh'))).toBe('private')
  })

  it('passes credentials by name only', () => {
    expect(Object.keys(plan().env).sort()).toEqual(['ANTHROPIC_API_KEY', 'HOME', 'PATH'])
    expect(Object.keys(plan({}, { env: ['MINE'] }).env)).toContain('MINE')
  })

  it('passes the variables that Signalbox and the settings of the agent set for it', () => {
    expect(Object.keys(plan({ given: ['MINE'] }).env).sort()).toEqual(['ANTHROPIC_API_KEY', 'HOME', 'MINE', 'PATH'])
  })

  it('adds paths of the settings, at the target of a link', () => {
    symlinkSync(at('home/.ssh'), at('home/link'))
    const { paths } = plan({}, { write: ['~/link'] })
    expect(paths).toContainEqual({ path: at('home/.ssh'), access: 'write', why: 'sandbox.write' })
  })
})

describe('the command line of a backend', () => {
  const program = { file: '/bin/agent', args: ['--x'] }

  it('mounts in the order of the plan, cuts the network off, and names no secret', () => {
    const { args } = bubblewrapCommand('/usr/bin/bwrap', plan(), program)
    const text = args.join(' ')
    expect(text.indexOf(`--tmpfs ${at('home')}`)).toBeLessThan(text.indexOf(`--bind ${at('home/project')}`))
    expect(args).toContain('--unshare-net')
    expect(text).not.toContain('ANTHROPIC')
    expect(args.slice(-3)).toEqual(['--', '/bin/agent', '--x'])
    expect(bubblewrapCommand('bwrap', plan({}, { network: 'on' }), program).args).not.toContain('--unshare-net')
  })

  it('starts in outer namespaces and with a filter if the machine supports that', () => {
    const outer = { unshare: '/usr/bin/unshare', shared: at('own/open') }
    const { file, args } = bubblewrapCommand('/usr/bin/bwrap', plan(), program, { outer, filter: at('own/filter.bpf') })
    expect([file, args.slice(0, 3)]).toEqual(['/usr/bin/unshare', ['--user', '--map-root-user', '--mount']])
    expect(args.join(' ')).toContain(`--uid ${process.getuid!()}`)
    expect(args.join(' ')).toContain('--seccomp 9')
    expect(args.slice(-3)).toEqual(['--', '/bin/agent', '--x'])
  })

  it.each(['x64', 'arm64'])('has a filter of system calls for %s whose jumps stay inside', arch => {
    const bytes = seccompFilter(arch)!
    const count = bytes.length / 8
    expect(Number.isInteger(count)).toBe(true)
    for (let index = 0; index < count; index++) {
      const [code, whenTrue, whenFalse] = [bytes.readUInt16LE(index * 8), bytes[index * 8 + 2]!, bytes[index * 8 + 3]!]
      expect(index + 1 + Math.max(whenTrue, whenFalse)).toBeLessThan(code === 0x06 ? count + 1 : count)
    }
    expect(bytes.readUInt16LE(bytes.length - 8)).toBe(0x06)
    expect(seccompFilter('mips')).toBeNull()
  })

  it('is a profile of sandbox-exec with the same order of rules', () => {
    const text = seatbeltProfile(plan())
    expect(text).toContain('(deny default)')
    expect(text).toContain(`(deny file-read* file-write* (subpath "${at('home')}"))`)
    expect(text.indexOf(`(subpath "${at('home')}")`)).toBeLessThan(text.indexOf(`(subpath "${at('home/project')}")`))
    expect(text).toContain('(deny network*)')
  })

  it('passes variables by name to a container, which has no network of its own', () => {
    const { args } = containerCommand('docker', 'node:22', plan(), program, '1000:1000')
    expect(args.slice(-3)).toEqual(['node:22', '/bin/agent', '--x'])
    expect(args.join(' ')).toContain('--network none')
    expect(args.join(' ')).toContain('--env ANTHROPIC_API_KEY')
    expect(args).toContain(`type=bind,source=${at('home/project')},target=${at('home/project')}`)
    expect(args.join(' ')).not.toContain(at('signalbox'))
  })
})

it.each([
  ['example.com', true],
  ['example.com.evil', false],
  ['evil-example.com', false],
  ['api.example.com', false],
  ['a.wild.org', true],
  ['wild.org', false],
])('the list of hosts matches %s only by whole names', (host, expected) => {
  expect(isAllowedHost(host, ['Example.com.', '.wild.org'])).toBe(expected)
})
