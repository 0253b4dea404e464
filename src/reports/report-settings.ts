/** The settings that decide how agents report beside their screens. */
export interface ReportSettings {
  /** Holds a private directory for each session whose agent reports through hooks. */
  runtimeDirectory: string
  daemonSocket: string
  hooks: {
    isEnabled: boolean
    /** Agents whose sessions get no hooks (`agents.<name>.hooks = false`). */
    offFor: readonly string[]
    /** `approvals.hold`: which permission hooks may wait for a person. */
    hold: 'adapter' | 'always' | 'never' | 'unattended'
  }
}
