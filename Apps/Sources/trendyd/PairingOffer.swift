import CommandSupport
import HubContainer
import TrendyHub

/// A pairing code, and the address at which a device uses it.
struct PairingOffer {
  let person: HubPerson
  let code: String
  /// `nil` where the hub listens everywhere and was told of no name.
  let url: String?
  let port: UInt16
  /// What to do where there is no address to ask at; `nil` where there is one.
  let wildcardHint: String?

  init(person: HubPerson, code: String, settings: HubSettings, port: UInt16) throws(CommandError) {
    self.person = person
    self.code = code
    self.port = port
    url = try settings.url(port: port)
    wildcardHint = try settings.wildcardHint()
  }

  var members: [(String, JSONText)] {
    [("person", .string(person.name)), ("code", .string(code)), ("url", .string(url))]
  }

  /// The command that a person types on the device.
  var connectCommand: String { "trendy connect \(url ?? "http://NAME:\(port)") \(code)" }
}
