import AppContainer
public import CommandSupport
import TrendyNetworking

extension CommandError {
  /// What a person reads of an error on the way to a hub.
  public init(describingNetwork error: any Error) {
    switch error {
    case HubAddressError.insecure(let host):
      self.init(
        "http:// to \(host) would send the token in clear text",
        hint: "Use https://, or in a network that you trust: trendy connect … --insecure", exit: .usage)
    case let error as HubAddressError:
      self.init(
        error.description, hint: "An address looks like https://hub.example or http://127.0.0.1:8080.", exit: .usage)
    case ConnectError.otherPerson:
      self.init(
        "This store holds another person's record",
        hint:
          "Nothing was changed. If your hub was lost and set up again, rebuild its record from this store: trendy connect "
          + "--rebuild URL CODE. Keep another person's record in a store of its own: --store DIR", exit: .refused)
    case is CancellationError: self.init("Interrupted", hint: "Nothing was lost.", exit: .interrupted)
    default: self.init(describing: error)
    }
  }
}
