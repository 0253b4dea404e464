/*
 * Settings and directories. Each setting is declared once, in settings/, with its default, its
 * limits, its description and whether a project's file may change it.
 *
 *   defaults ◄ config.toml ◄ the project's trusted file (narrow.ts) ◄ environment ◄ flags
 *
 * load.ts merges these layers and reports every mistake with file, line and column.
 * edit-settings.ts changes config.toml and keeps its comments; paths.ts says where things are
 * stored (directories/ is its entry point for programs that must start fast).
 *
 * To add a setting: an entry in a file of settings/, and its use. A test fails for a setting that
 * the program does not use.
 */

export {
  appliesAtOnce,
  editingOf,
  editSettings,
  needsNoStepUp,
  type SettingValue,
  settingsVersion,
} from './edit-settings.js'

export { type LoadedConfig, type LoadOptions, loadConfig } from './load.js'
export {
  type Directories,
  ensureDirectories,
  resolveDirectories,
  socketPath,
} from './paths.js'
export { configReference } from './reference.js'
export { type Config, KNOWN_SETTINGS, parseSize } from './schema.js'
