// A reporter for `npm test`: names the tests that passed only when they were tried again. They are counted as passed, and are to be mended.
export default class SecondTries {
  onTestRunEnd(modules) {
    for (const module of modules)
      for (const test of module.children.allTests())
        if (test.diagnostic()?.flaky)
          console.log(`passed at the second try: ${module.relativeModuleId}: ${test.fullName}`)
  }
}
