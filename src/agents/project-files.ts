/**
 * Files and directories of a project in which it can tell an agent to run something: hooks, tool servers, plugins. An agent without
 * a terminal asks nobody about them, so whoever starts one in a project lets these files run, too. Data, not part of the adapters: they are
 * wanted before any agent is loaded.
 */
export const AGENT_PROJECT_FILES: Readonly<Record<string, readonly string[]>> = {
  claude: ['.claude/settings.json', '.claude/settings.local.json', '.mcp.json'],
  codex: ['.codex/config.toml', '.codex/hooks.json'],
  gemini: ['.gemini/settings.json'],
  opencode: ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/plugin', '.opencode/plugins'],
  qwen: ['.qwen/settings.json'],
  copilot: ['.github/hooks', '.copilot/mcp-config.json'],
  cline: ['.clinerules/hooks'],
  pi: ['.pi/extensions', '.pi/settings.json'],
  aider: ['.aider.conf.yml'],
  crush: ['crush.json', '.crush.json'],
}
