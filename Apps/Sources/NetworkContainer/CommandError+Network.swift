import AppContainer
public import CommandSupport
import TrendyNetworking

extension CommandError {
  /// Creates a message for an error in the connection to a hub.
  public init(describingNetwork error: any Error) {
    switch error {
    case HubAddressError.insecure(let host):
      self.init(
        "http:// to \(host) would send the token unencrypted",
        hint: "Use https://. On a trusted network: trendy connect … --insecure", exit: .usage)
    case let error as HubAddressError:
      self.init(
        error.description, hint: "Use an address such as https://hub.example or http://127.0.0.1:8080.", exit: .usage)
    case ConnectError.otherPerson:
      self.init(
        "This store belongs to another user",
        hint:
          "Nothing was changed. If your hub was lost and set up again, rebuild it from this store: trendy connect "
          + "--rebuild URL CODE. Otherwise use a separate store for each user: --store DIR", exit: .refused)
    case is CancellationError: self.init("Interrupted", hint: "No data was lost.", exit: .interrupted)
    default: self.init(describing: error)
    }
  }
}
