import CommandSupport

extension Session {
  /// Seconds of an option such as `--for 1h30m`; `nil` where it was not given.
  func seconds(option: String) throws(CommandError) -> Double? {
    guard let text = arguments.value(option) else { return nil }
    guard let seconds = TimePhrase.seconds(text) else {
      throw usageError("'\(text)' is no duration", hint: "Durations look like 1h30m, 45m or 90s.")
    }
    return seconds
  }
}
