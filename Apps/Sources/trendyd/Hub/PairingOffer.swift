import CommandSupport
import HubContainer
import TrendyHub

/// A pairing code, and the address at which a device uses it.
struct PairingOffer {
  let person: HubPerson
  let code: String
  /// `nil` where the hub listens everywhere and was told of no name, or at a port that is not known here.
  let url: String?
  /// 0 where it is not known.
  let port: UInt16
  /// What to do where there is no address to ask at; `nil` where there is one.
  let missingAddressHint: String?

  /// - Parameter serving: the hub that serves by now, which may have been told otherwise than what is kept.
  init(
    person: HubPerson, code: String, settings: HubSettings, serving: HubContainer.Serving? = nil
  ) throws(CommandError) {
    self.person = person
    self.code = code
    if let serving {
      (port, url) = (serving.port, serving.deviceURL)
    } else {
      (port, url) = (try settings.endpoint().port, try settings.url())
    }
    missingAddressHint = url == nil ? try settings.missingAddressHint(port: port) : nil
  }

  var members: [(String, JSONText)] {
    [("person", .string(person.name)), ("code", .string(code)), ("url", .string(url)), ("link", .string(link))]
  }

  /// The command that a person types on the device.
  var connectCommand: String {
    let needsConsent = url.map { HubSettings.isClearText($0) } ?? true
    return
      "trendy connect \(url ?? "http://NAME:\(port == 0 ? "PORT" : "\(port)")") \(code)\(needsConsent ? " --insecure" : "")"
  }

  /// Address and code in one, for an app that reads it from a screen: `trendy://connect?hub=…&code=…`.
  var link: String? { url.map { PairingLink(hub: $0, code: code).description } }

  /// On a terminal, the link as a picture.
  func showPicture(on console: Console) {
    if let link, let picture = QRCode(link) { console.picture(picture) }
  }
}
