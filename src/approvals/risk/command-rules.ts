import type { RiskLevel } from './reason.js'

/**
 * What commands do, as data. A rule applies to the command word and, where `sub` is given, to the
 * words after it, ignoring options in between. The most specific rules come first; the first match
 * wins. `unless` and `only` are options: a long one (`--force`), or one letter of a cluster (`-f`,
 * also in `-rf`).
 */
export interface CommandRule {
  names: readonly string[]
  sub?: readonly string[]
  /** Matches only with one of these options. */
  only?: readonly string[]
  /** Does not match with one of these options. */
  unless?: readonly string[]
  level: RiskLevel
  why: string
  /** What it does with its path arguments; by default it reads them. */
  access?: 'write' | 'delete'
}

const high = (names: string, why: string, more: Partial<CommandRule> = {}): CommandRule => ({
  names: names.split(' '),
  level: 'high',
  why,
  ...more,
})
const elevated = (names: string, why: string, more: Partial<CommandRule> = {}): CommandRule => ({
  names: names.split(' '),
  level: 'elevated',
  why,
  ...more,
})
const low = (names: string, why: string, more: Partial<CommandRule> = {}): CommandRule => ({
  names: names.split(' '),
  level: 'low',
  why,
  ...more,
})
const git = (level: RiskLevel, sub: string, why: string, more: Partial<CommandRule> = {}): CommandRule[] =>
  sub.split(' ').map(word => ({ names: ['git'], sub: [word], level, why, ...more }))
const each = (level: RiskLevel, names: string, subs: readonly string[], why: string): CommandRule[] =>
  subs.map(sub => ({ names: names.split(' '), sub: sub.split(' '), level, why }))

const WRITES_OUT = [
  '--output',
  '--ext-diff',
  '--textconv',
  '-c',
  '--exec-path',
  '--upload-pack',
  '--open-files-in-pager',
  '-O',
]

export const COMMAND_RULES: readonly CommandRule[] = [
  // — authority —
  high('sudo doas su pkexec runas gosu setpriv', 'requests elevated privileges'),
  high(
    'visudo passwd usermod useradd userdel groupmod chsh setcap chroot nsenter unshare',
    'changes users or permissions',
  ),
  high('chown chgrp', 'changes the owner of files', { access: 'write' }),
  high('shutdown reboot halt poweroff', 'stops the machine'),
  high('systemctl launchctl service crontab at batch', 'changes services or scheduled jobs'),
  high('mount umount iptables nft ufw sysctl modprobe insmod', 'changes the system'),
  high('signalbox', 'controls Signalbox itself'),
  ...each(
    'high',
    'claude codex gemini opencode qwen',
    ['mcp', 'config', 'hooks', 'plugin'],
    'changes settings of agents',
  ),
  elevated('claude codex gemini opencode qwen aider cline copilot', 'starts another agent'),

  // — destruction —
  high('rm', 'deletes recursively', { only: ['-r', '-R', '--recursive'], access: 'delete' }),
  elevated('rm unlink rmdir', 'deletes files', { access: 'delete' }),
  high('shred wipefs mkfs fdisk parted dd', 'overwrites data irrecoverably', { access: 'write' }),
  high('rsync', 'deletes files that the source does not have', {
    only: ['--delete', '--delete-after', '--delete-before', '--remove-source-files'],
  }),
  high('chmod', 'sets the setuid or setgid bit', {
    only: ['u+s', 'g+s', '+s', '4755', '2755', '6755'],
    access: 'write',
  }),
  high('chmod', 'changes permissions recursively', { only: ['-R', '--recursive'], access: 'write' }),

  // — credentials —
  ...each('high', 'gh', ['auth token', 'auth refresh', 'secret', 'ssh-key', 'gpg-key'], 'handles credentials'),
  ...each('high', 'aws', ['configure', 'sts', 'secretsmanager', 'iam'], 'handles credentials'),
  ...each('high', 'gcloud', ['auth', 'secrets', 'iam'], 'handles credentials'),
  high('security pass op bw gpg ssh-keygen ssh-add ssh-copy-id keytool secret-tool vault', 'handles credentials'),

  // — publishing and sending —
  ...git('high', 'push', 'overwrites the remote branch', {
    only: ['--force', '-f', '--force-with-lease', '--force-if-includes', '--mirror', '--delete', '-d', '--prune'],
  }),
  ...git('high', 'push commit merge am', 'disables checks', { only: ['--no-verify'] }),
  ...git('high', 'commit', 'disables checks', { only: ['-n'] }),
  ...git('high', 'commit', 'rewrites history', { only: ['--amend'] }),
  ...git('high', 'rebase filter-branch filter-repo replace update-ref', 'rewrites history'),
  ...git('high', 'reset', 'discards changes', { only: ['--hard', '--merge', '--keep'] }),
  ...git('high', 'clean', 'deletes untracked files', { only: ['-f', '--force'] }),
  ...git('high', 'branch tag', 'deletes branches or tags', { only: ['-D', '-d', '--delete'] }),
  ...git('high', 'reflog', 'rewrites history', { only: ['expire', 'delete'] }),
  ...git('high', 'gc', 'rewrites history', { only: ['--prune'] }),
  ...git('high', 'stash', 'discards changes', { only: ['drop', 'clear'] }),
  ...git('high', 'config', 'changes the git configuration', {
    unless: ['--get', '--get-all', '--list', '-l', '--get-regexp'],
  }),
  ...each(
    'high',
    'npm yarn pnpm bun',
    ['publish', 'unpublish', 'deprecate', 'dist-tag', 'token', 'login', 'adduser', 'owner', 'access'],
    'publishes, or manages the account',
  ),
  ...each('high', 'npm yarn pnpm bun', ['run deploy', 'run release', 'run publish'], 'publishes or deploys'),
  ...each('high', 'cargo', ['publish', 'yank', 'login', 'owner'], 'publishes, or manages the account'),
  ...each('high', 'twine poetry flit hatch uv', ['upload', 'publish'], 'publishes'),
  ...each('high', 'gem', ['push', 'yank'], 'publishes'),
  ...each('high', 'mvn gradle', ['deploy', 'publish', 'release:perform'], 'publishes'),
  ...each('high', 'docker podman', ['push', 'login'], 'publishes, or manages the account'),
  ...each(
    'high',
    'docker podman',
    ['run', 'exec', 'system prune', 'volume rm', 'volume prune'],
    'runs or removes containers, which can leave the project',
  ),
  ...each(
    'high',
    'gh',
    ['release', 'repo delete', 'repo edit', 'pr merge', 'workflow run', 'api'],
    'changes what others see',
  ),
  ...each(
    'high',
    'kubectl oc',
    ['apply', 'delete', 'create', 'replace', 'patch', 'edit', 'scale', 'rollout', 'exec', 'drain'],
    'changes a cluster',
  ),
  ...each('high', 'helm', ['install', 'upgrade', 'uninstall', 'rollback'], 'changes a cluster'),
  ...each('high', 'terraform tofu pulumi', ['apply', 'destroy', 'import', 'up', 'state'], 'changes infrastructure'),
  high('vercel netlify flyctl fly heroku railway wrangler serverless sls firebase cdk ansible-playbook', 'deploys'),

  // — checks —
  high('curl', 'skips the certificate check', { only: ['-k', '--insecure'] }),
  high('wget', 'skips the certificate check', { only: ['--no-check-certificate'] }),
  high('pip pip3', 'skips the certificate check', { only: ['--trusted-host'] }),

  // — the network and packages —
  elevated('curl wget http https aria2c', 'uses the network'),
  elevated('ssh scp sftp rsync nc ncat socat telnet ftp', 'connects to another machine'),
  ...git('elevated', 'push', 'sends commits to a remote'),
  ...git('elevated', 'fetch pull clone submodule remote', 'uses the network', {
    unless: ['-v', '--verbose', 'show', 'get-url'],
  }),
  ...each(
    'elevated',
    'npm yarn pnpm bun',
    ['i', 'install', 'ci', 'add', 'update', 'up', 'upgrade', 'link', 'exec', 'dlx', 'x', 'create', 'init', 'rebuild'],
    'installs packages, whose scripts run',
  ),
  ...each(
    'elevated',
    'pip pip3 uv poetry pipenv conda gem cargo go brew apt apt-get dnf yum pacman apk composer bundle',
    ['install', 'add', 'update', 'upgrade', 'get', 'remove', 'sync', 'uninstall'],
    'installs packages',
  ),
  elevated('npx bunx pipx uvx', 'may download and run a package'),

  // — known tests, checks and builds —
  ...each(
    'low',
    'npm yarn pnpm bun',
    [
      'test',
      't',
      'run test',
      'run tests',
      'run lint',
      'run build',
      'run check',
      'run typecheck',
      'run type-check',
      'run unit',
      'run format:check',
    ],
    'runs checks of the project',
  ),
  ...each('low', 'npm yarn pnpm', ['ls', 'list', 'outdated', 'view', 'why', 'explain'], 'reads'),
  ...each('low', 'cargo', ['test', 'check', 'build', 'clippy', 'tree', 'metadata'], 'runs checks of the project'),
  ...each('low', 'go', ['test', 'vet', 'build', 'list', 'version'], 'runs checks of the project'),
  ...each('low', 'dotnet swift mix', ['test', 'build', 'compile'], 'runs checks of the project'),
  ...each('low', 'mvn gradle', ['test', 'verify', 'compile', 'check', 'build'], 'runs checks of the project'),
  ...each(
    'low',
    'python python3',
    ['-m pytest', '-m unittest', '-m mypy', '-m compileall'],
    'runs checks of the project',
  ),
  ...each('low', 'bundle', ['exec rspec', 'exec rake test', 'exec rubocop'], 'runs checks of the project'),
  ...each('low', 'ruff', ['check'], 'runs checks of the project').map(rule => ({
    ...rule,
    unless: ['--fix', '--unsafe-fixes'],
  })),
  ...each('low', 'make just rake', ['test', 'check', 'lint', 'build'], 'runs checks of the project'),
  low('pytest mypy pyright tsc vitest jest mocha ava tap rspec phpunit ctest', 'runs checks of the project', {
    unless: ['--fix', '--update', '-u', '--init', '--ui'],
  }),
  low('eslint stylelint prettier biome rubocop flake8 pylint shellcheck', 'runs checks of the project', {
    unless: ['--fix', '--write', '-w', '--apply', '-a', '-A', '--rulesdir', '--resolve-plugins-relative-to'],
  }),

  // — reading —
  ...git(
    'low',
    'status log diff show blame shortlog describe rev-parse rev-list ls-files ls-tree cat-file name-rev merge-base grep whatchanged count-objects',
    'reads the repository',
    { unless: WRITES_OUT },
  ),
  ...git('low', 'branch tag', 'reads the repository', {
    only: ['--list', '-l', '-a', '-v', '--show-current', '--contains'],
  }),
  ...git('low', 'remote', 'reads the repository', { only: ['-v', '--verbose', 'show', 'get-url'] }),
  ...git('low', 'stash', 'reads the repository', { only: ['list', 'show'] }),
  ...git('low', 'config', 'reads the repository', { only: ['--get', '--get-all', '--list', '-l'] }),
  ...git('low', 'worktree', 'reads the repository', { only: ['list'] }),
  elevated('git', 'changes the repository'),
  elevated('find', 'runs or deletes what it finds', {
    only: ['-exec', '-execdir', '-ok', '-okdir', '-delete', '-fprint', '-fprint0', '-fprintf', '-fls'],
  }),
  low('rg', 'reads', { unless: ['--pre', '--hostname-bin'] }),
  low('sort', 'reads', { unless: ['-o', '--output', '--compress-program', '-T'] }),
  low('tree', 'reads', { unless: ['-o'] }),
  low('date', 'reads', { unless: ['-s', '--set'] }),
  low(
    'ls cat head tail wc grep egrep fgrep find pwd which type file stat du df diff cmp comm uniq cut tr nl od xxd hexdump strings basename dirname realpath readlink echo printf true false test [ jq column fold seq whoami uname hostname id ps uptime md5sum sha1sum sha256sum cksum',
    'reads',
  ),

  // — writing —
  elevated('sed awk gawk perl', 'changes files', { only: ['-i', '--in-place', 'inplace'], access: 'write' }),
  elevated('cp mv ln install touch mkdir tee chmod patch truncate split unzip tar zip gzip gunzip 7z', 'writes files', {
    access: 'write',
  }),
  elevated('time', 'writes its measurements to a file', { only: ['-o', '--output'], access: 'write' }),
  elevated('kill pkill killall', 'ends processes'),
  elevated('strace', 'reads what a process does'),
  elevated('env printenv set export', 'shows the environment, which may contain secrets'),
]

/** Programs that run a script from an argument or from their input. */
export const INTERPRETERS: ReadonlySet<string> = new Set([
  'sh',
  'bash',
  'zsh',
  'dash',
  'ksh',
  'fish',
  'python',
  'python3',
  'python2',
  'node',
  'deno',
  'bun',
  'perl',
  'ruby',
  'php',
  'lua',
  'osascript',
  'pwsh',
  'powershell',
  'tclsh',
  'expect',
])
export const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh'])
export const DOWNLOADERS: ReadonlySet<string> = new Set([
  'curl',
  'wget',
  'http',
  'https',
  'aria2c',
  'fetch',
  'nc',
  'ncat',
])

/** Wrappers that start another program, and how many words precede it. */
export const WRAPPERS: Readonly<Record<string, { optionsWithValue: readonly string[]; leadingWords: number }>> = {
  sudo: { optionsWithValue: ['-u', '-g', '-h', '-p', '-C', '-D', '-R', '-T', '-U'], leadingWords: 0 },
  doas: { optionsWithValue: ['-u', '-C'], leadingWords: 0 },
  env: { optionsWithValue: ['-u', '--unset', '-C', '--chdir'], leadingWords: 0 },
  nohup: { optionsWithValue: [], leadingWords: 0 },
  nice: { optionsWithValue: ['-n'], leadingWords: 0 },
  ionice: { optionsWithValue: ['-c', '-n'], leadingWords: 0 },
  timeout: { optionsWithValue: ['-s', '-k', '--signal', '--kill-after'], leadingWords: 1 },
  stdbuf: { optionsWithValue: ['-i', '-o', '-e'], leadingWords: 0 },
  setsid: { optionsWithValue: [], leadingWords: 0 },
  command: { optionsWithValue: [], leadingWords: 0 },
  builtin: { optionsWithValue: [], leadingWords: 0 },
  exec: { optionsWithValue: ['-a'], leadingWords: 0 },
  xargs: { optionsWithValue: ['-I', '-n', '-P', '-L', '-d', '-s', '-a', '-E'], leadingWords: 0 },
  watch: { optionsWithValue: ['-n', '--interval'], leadingWords: 0 },
  time: { optionsWithValue: ['-f', '-o'], leadingWords: 0 },
  strace: { optionsWithValue: ['-e', '-o', '-p'], leadingWords: 0 },
}

/** Variables that change what other programs run or trust. */
export const EXECUTION_VARIABLES: ReadonlySet<string> = new Set([
  'PATH',
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'DYLD_INSERT_LIBRARIES',
  'BASH_ENV',
  'ENV',
  'IFS',
  'PROMPT_COMMAND',
  'NODE_OPTIONS',
  'PYTHONPATH',
  'PYTHONSTARTUP',
  'PERL5OPT',
  'RUBYOPT',
  'GIT_SSH_COMMAND',
  'GIT_SSH',
  'GIT_EDITOR',
  'GIT_PAGER',
  'GIT_CONFIG_GLOBAL',
  'GIT_EXTERNAL_DIFF',
  'GIT_DIR',
  'PAGER',
  'EDITOR',
  'VISUAL',
  'BROWSER',
  'HOME',
  'SHELL',
  'ANTHROPIC_BASE_URL',
  'OPENAI_BASE_URL',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'http_proxy',
  'https_proxy',
  'npm_config_registry',
  'PIP_INDEX_URL',
  'PIP_EXTRA_INDEX_URL',
])
export const CHECK_VARIABLES: ReadonlySet<string> = new Set([
  'HUSKY',
  'SKIP',
  'GIT_SSL_NO_VERIFY',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'PYTHONHTTPSVERIFY',
  'HUSKY_SKIP_HOOKS',
  'LEFTHOOK',
])
/** Options that remove a safeguard of any program. */
export const CHECK_OPTIONS: ReadonlySet<string> = new Set([
  '--no-verify',
  '--no-sandbox',
  '--dangerously-skip-permissions',
  '--dangerously-bypass-approvals-and-sandbox',
  '--yolo',
  '--full-auto',
  '--no-gpg-sign',
  '--allow-all-tools',
  '--disable-sandbox',
  'StrictHostKeyChecking=no',
  '-oStrictHostKeyChecking=no',
])
