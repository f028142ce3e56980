/// The version of the programs; CHANGELOG.md tells what each brought.
public enum Version: Sendable {
  public static let text = "0.1.0"
}
