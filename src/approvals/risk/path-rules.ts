/** Files and folders whose change can give others control; lower case, segments. */
export const AGENT_FOLDERS: readonly string[] = [
  '.claude',
  '.codex',
  '.gemini',
  '.qwen',
  '.opencode',
  '.config/opencode',
  '.cursor',
  '.cline',
  '.clinerules',
  '.copilot',
  '.config/github-copilot',
  '.aider',
  '.windsurf',
  '.roo',
  '.continue',
]

export const AGENT_FILES: ReadonlySet<string> = new Set([
  '.claude.json',
  '.mcp.json',
  'mcp.json',
  'opencode.json',
  'opencode.jsonc',
  '.aider.conf.yml',
  '.cursorrules',
])

export const HOOK_FILES: ReadonlySet<string> = new Set([
  '.pre-commit-config.yaml',
  'lefthook.yml',
  'lefthook.yaml',
  'crontab',
])

export const CI_FOLDERS: readonly string[] = [
  '.github/workflows',
  '.github/actions',
  '.circleci',
  '.gitlab/ci',
  '.buildkite',
  '.woodpecker',
  '.forgejo/workflows',
  '.gitea/workflows',
]

export const CI_FILES: ReadonlySet<string> = new Set([
  '.gitlab-ci.yml',
  '.travis.yml',
  'azure-pipelines.yml',
  'jenkinsfile',
  'bitbucket-pipelines.yml',
  'appveyor.yml',
  '.drone.yml',
  'cloudbuild.yaml',
])

export const SHELL_FILES: ReadonlySet<string> = new Set([
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zprofile',
  '.zshenv',
  '.zlogin',
  'config.fish',
  '.inputrc',
  '.vimrc',
  '.tmux.conf',
  '.gitconfig',
  '.xinitrc',
  '.xprofile',
])
