extension CommandLine {
  /// Refuses words that are not UTF-8. ``arguments`` has other characters in their place: a note would be kept otherwise than it was
  /// written, and a path would name another file.
  /// - Throws: ``CommandError`` that shows the word.
  public static func checkEncoding() throws(CommandError) {
    for index in 0..<Int(argc) {
      guard let word = unsafeArgv[index], String(validatingCString: word) == nil else { continue }
      throw CommandError(
        "'\(String(cString: word))' is not UTF-8",
        hint: "Nothing was done. Set the terminal to UTF-8, or rename the file.", exit: .usage)
    }
  }
}
