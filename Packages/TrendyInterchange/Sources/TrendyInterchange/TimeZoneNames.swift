import TrendyModels

/// Parses time zone names: IANA names in any case, UTC offsets, and Windows names.
enum TimeZoneNames {
  /// Returns the zone with this name, or `nil` if the name is unknown.
  ///
  /// Examples are `europe/paris`, `UTC+2`, `GMT+0100`, `W. Europe Standard Time`, `tzone://Microsoft/Utc` and
  /// `(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna`. Quotes are ignored, as are spaces at both ends.
  static func clock(_ name: String) -> ZoneClock? {
    let name = FieldText.trim(name.filter { $0 != "\"" })
    guard !name.isEmpty, name.utf8.count <= 200 else { return nil }
    return iana(name) ?? offset(name[...]) ?? windows(name)
  }

  // MARK: IANA names

  private static func iana(_ name: String) -> ZoneClock? {
    var parts = name.split(separator: "/").map(String.init)
    if name.lowercased().hasPrefix("tzone:"), let last = parts.last { return iana(last) }
    // Example: `/mozilla.org/20070129_1/Europe/Berlin`.
    if name.hasPrefix("/") {
      while parts.count > 1 {
        parts.removeFirst()
        if let clock = iana(parts.joined(separator: "/")) { return clock }
      }
      return nil
    }
    if let clock = ZoneClock(named: name) { return clock }
    let title = parts.map(titleCase).joined(separator: "/")
    let upper = name.uppercased()
    let upperArea = ([parts.first?.uppercased() ?? ""] + parts.dropFirst().map(titleCase)).joined(separator: "/")
    return [title, upper, upperArea].lazy.filter { $0 != name }.compactMap { ZoneClock(named: $0) }.first
  }

  /// Returns part of a name in the tz database's capitalization, for example for `port-au-prince` or `NEW_YORK`.
  private static func titleCase(_ part: String) -> String {
    var text = ""
    for word in part.lowercased().split(separator: "_", omittingEmptySubsequences: false) {
      if !text.isEmpty { text += "_" }
      text += word.split(separator: "-", omittingEmptySubsequences: false).map { piece in
        ["au", "es", "of"].contains(piece) ? String(piece) : piece.prefix(1).uppercased() + piece.dropFirst()
      }.joined(separator: "-")
    }
    return text
  }

  // MARK: Offsets

  /// Parses an offset such as `UTC+2`, `GMT-03:30`, `+0100`, `(UTC+02:00)` or `UTC`.
  private static func offset(_ name: Substring) -> ZoneClock? {
    var rest = name.filter { $0 != "(" && $0 != ")" && $0 != " " }.uppercased()[...]
    var hasPrefix = false
    for prefix in ["UTC", "GMT"] where rest.hasPrefix(prefix) {
      rest = rest.dropFirst(3)
      hasPrefix = true
    }
    if rest.isEmpty || rest == "Z" { return .utc }
    guard let sign = rest.first, sign == "+" || sign == "-" || sign == "\u{2212}" else { return nil }
    let parts = rest.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
    guard let first = parts.first, !first.isEmpty, parts.count <= 2,
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }), let number = Int(first)
    else { return nil }
    // Accept `+2`, `+02`, `+0200` and `+02:00`, but one or two digits only after "UTC" or "GMT".
    let hours: Int
    let minutes: Int
    switch (first.count, parts.count) {
    case (1...2, 2):
      guard parts[1].count == 2, let value = Int(parts[1]) else { return nil }
      (hours, minutes) = (number, value)
    case (1...2, 1) where hasPrefix: (hours, minutes) = (number, 0)
    case (3...4, 1): (hours, minutes) = (number / 100, number % 100)
    default: return nil
    }
    guard hours <= 14, minutes < 60 else { return nil }
    return fixed((hours * 3600 + minutes * 60) * (sign == "+" ? 1 : -1))
  }

  private static func fixed(_ seconds: Int) -> ZoneClock {
    if seconds == 0 { return .utc }
    // In these names, positive offsets are west of Greenwich (tz database, file `etcetera`).
    let name = "Etc/GMT\(seconds > 0 ? "-" : "+")\(abs(seconds) / 3600)"
    if seconds % 3600 == 0, let clock = ZoneClock(named: name) { return clock }
    return ZoneClock(name: nil) { _ in seconds }
  }

  // MARK: Windows

  private static func windows(_ name: String) -> ZoneClock? {
    let lower = name.lowercased()
    if let iana = windowsNames[lower] { return ZoneClock(named: iana) }
    // A display name such as `(UTC+01:00) Amsterdam, Berlin, …` contains the offset of standard time.
    guard lower.hasPrefix("("), let end = lower.firstIndex(of: ")") else { return nil }
    let written = lower[lower.index(after: lower.startIndex)..<end].filter { $0.isNumber || $0 == "+" || $0 == "-" }
    let isUTC = written.isEmpty || ["+0000", "-0000"].contains(written)
    let description = FieldText.trim(lower[lower.index(after: end)...])
    if description.isEmpty { return offset(name[...]) }
    let found =
      displayNames[description].map { [$0] }
      ?? description.split { $0 == "," || $0 == "/" || $0 == ";" }.compactMap { displayCities[FieldText.trim($0)] }
    return found.first { ($0.offset == written) || isUTC && $0.offset == "+0000" }.flatMap { ZoneClock(named: $0.iana) }
  }

  private typealias Display = (iana: String, offset: String)

  private static let rows: [(name: String, iana: String, offset: String, display: String)] = table.split(
    separator: "\n"
  )
  .map { line in
    let parts = line.split(separator: "=")
    let display = parts[2].split(separator: " ", maxSplits: 1)
    return (
      parts[0].lowercased(), String(parts[1]), display[0].filter { $0 != ":" }, display[1].lowercased()
    )
  }

  private static let windowsNames = Dictionary(rows.map { ($0.name, $0.iana) }, uniquingKeysWith: { first, _ in first })

  private static let displayNames: [String: Display] = Dictionary(
    rows.map { ($0.display, (iana: $0.iana, offset: $0.offset)) }, uniquingKeysWith: { first, _ in first })

  private static let displayCities: [String: Display] = Dictionary(
    rows.flatMap { row in
      row.display.split(separator: ",").map { (FieldText.trim($0), (iana: row.iana, offset: row.offset)) }
    }, uniquingKeysWith: { first, _ in first })

  /// Windows name, IANA zone (Unicode CLDR, windowsZones, territory 001), and the offset and text displayed by Windows.
  private static let table = """
    Dateline Standard Time=Etc/GMT+12=-12:00 International Date Line West
    Samoa Standard Time=Pacific/Apia=+13:00 Samoa
    Aleutian Standard Time=America/Adak=-10:00 Aleutian Islands
    Hawaiian Standard Time=Pacific/Honolulu=-10:00 Hawaii
    Marquesas Standard Time=Pacific/Marquesas=-09:30 Marquesas Islands
    Alaskan Standard Time=America/Anchorage=-09:00 Alaska
    Pacific Standard Time (Mexico)=America/Tijuana=-08:00 Baja California
    Pacific Standard Time=America/Los_Angeles=-08:00 Pacific Time (US & Canada)
    US Mountain Standard Time=America/Phoenix=-07:00 Arizona
    Mountain Standard Time (Mexico)=America/Mazatlan=-07:00 Chihuahua, La Paz, Mazatlan
    Mountain Standard Time=America/Denver=-07:00 Mountain Time (US & Canada)
    Yukon Standard Time=America/Whitehorse=-07:00 Yukon
    Central America Standard Time=America/Guatemala=-06:00 Central America
    Central Standard Time=America/Chicago=-06:00 Central Time (US & Canada)
    Easter Island Standard Time=Pacific/Easter=-06:00 Easter Island
    Central Standard Time (Mexico)=America/Mexico_City=-06:00 Guadalajara, Mexico City, Monterrey
    Canada Central Standard Time=America/Regina=-06:00 Saskatchewan
    SA Pacific Standard Time=America/Bogota=-05:00 Bogota, Lima, Quito, Rio Branco
    Eastern Standard Time (Mexico)=America/Cancun=-05:00 Chetumal
    Eastern Standard Time=America/New_York=-05:00 Eastern Time (US & Canada)
    Haiti Standard Time=America/Port-au-Prince=-05:00 Haiti
    Cuba Standard Time=America/Havana=-05:00 Havana
    US Eastern Standard Time=America/Indianapolis=-05:00 Indiana (East)
    Turks And Caicos Standard Time=America/Grand_Turk=-05:00 Turks and Caicos
    Paraguay Standard Time=America/Asuncion=-04:00 Asuncion
    Atlantic Standard Time=America/Halifax=-04:00 Atlantic Time (Canada)
    Venezuela Standard Time=America/Caracas=-04:00 Caracas
    Central Brazilian Standard Time=America/Cuiaba=-04:00 Cuiaba
    SA Western Standard Time=America/La_Paz=-04:00 Georgetown, La Paz, Manaus, San Juan
    Pacific SA Standard Time=America/Santiago=-04:00 Santiago
    Newfoundland Standard Time=America/St_Johns=-03:30 Newfoundland
    Tocantins Standard Time=America/Araguaina=-03:00 Araguaina
    E. South America Standard Time=America/Sao_Paulo=-03:00 Brasilia
    SA Eastern Standard Time=America/Cayenne=-03:00 Cayenne, Fortaleza
    Argentina Standard Time=America/Buenos_Aires=-03:00 City of Buenos Aires
    Greenland Standard Time=America/Godthab=-03:00 Greenland
    Montevideo Standard Time=America/Montevideo=-03:00 Montevideo
    Magallanes Standard Time=America/Punta_Arenas=-03:00 Punta Arenas
    Saint Pierre Standard Time=America/Miquelon=-03:00 Saint Pierre and Miquelon
    Bahia Standard Time=America/Bahia=-03:00 Salvador
    Mid-Atlantic Standard Time=Etc/GMT+2=-02:00 Mid-Atlantic - Old
    Azores Standard Time=Atlantic/Azores=-01:00 Azores
    Cape Verde Standard Time=Atlantic/Cape_Verde=-01:00 Cabo Verde Is.
    Coordinated Universal Time=Etc/UTC=+00:00 Coordinated Universal Time
    GMT Standard Time=Europe/London=+00:00 Dublin, Edinburgh, Lisbon, London
    Greenwich Standard Time=Atlantic/Reykjavik=+00:00 Monrovia, Reykjavik
    Sao Tome Standard Time=Africa/Sao_Tome=+00:00 Sao Tome
    Morocco Standard Time=Africa/Casablanca=+01:00 Casablanca
    W. Europe Standard Time=Europe/Berlin=+01:00 Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna
    Central Europe Standard Time=Europe/Budapest=+01:00 Belgrade, Bratislava, Budapest, Ljubljana, Prague
    Romance Standard Time=Europe/Paris=+01:00 Brussels, Copenhagen, Madrid, Paris
    Central European Standard Time=Europe/Warsaw=+01:00 Sarajevo, Skopje, Warsaw, Zagreb
    W. Central Africa Standard Time=Africa/Lagos=+01:00 West Central Africa
    Jordan Standard Time=Asia/Amman=+02:00 Amman
    GTB Standard Time=Europe/Bucharest=+02:00 Athens, Bucharest
    Middle East Standard Time=Asia/Beirut=+02:00 Beirut
    Egypt Standard Time=Africa/Cairo=+02:00 Cairo
    E. Europe Standard Time=Europe/Chisinau=+02:00 Chisinau
    Syria Standard Time=Asia/Damascus=+02:00 Damascus
    West Bank Standard Time=Asia/Hebron=+02:00 Gaza, Hebron
    South Africa Standard Time=Africa/Johannesburg=+02:00 Harare, Pretoria
    FLE Standard Time=Europe/Kiev=+02:00 Helsinki, Kyiv, Riga, Sofia, Tallinn, Vilnius
    Israel Standard Time=Asia/Jerusalem=+02:00 Jerusalem
    South Sudan Standard Time=Africa/Juba=+02:00 Juba
    Kaliningrad Standard Time=Europe/Kaliningrad=+02:00 Kaliningrad
    Sudan Standard Time=Africa/Khartoum=+02:00 Khartoum
    Libya Standard Time=Africa/Tripoli=+02:00 Tripoli
    Namibia Standard Time=Africa/Windhoek=+02:00 Windhoek
    Arabic Standard Time=Asia/Baghdad=+03:00 Baghdad
    Turkey Standard Time=Europe/Istanbul=+03:00 Istanbul
    Arab Standard Time=Asia/Riyadh=+03:00 Kuwait, Riyadh
    Belarus Standard Time=Europe/Minsk=+03:00 Minsk
    Russian Standard Time=Europe/Moscow=+03:00 Moscow, St. Petersburg
    E. Africa Standard Time=Africa/Nairobi=+03:00 Nairobi
    Iran Standard Time=Asia/Tehran=+03:30 Tehran
    Arabian Standard Time=Asia/Dubai=+04:00 Abu Dhabi, Muscat
    Astrakhan Standard Time=Europe/Astrakhan=+04:00 Astrakhan, Ulyanovsk
    Azerbaijan Standard Time=Asia/Baku=+04:00 Baku
    Russia Time Zone 3=Europe/Samara=+04:00 Izhevsk, Samara
    Mauritius Standard Time=Indian/Mauritius=+04:00 Port Louis
    Saratov Standard Time=Europe/Saratov=+04:00 Saratov
    Georgian Standard Time=Asia/Tbilisi=+04:00 Tbilisi
    Volgograd Standard Time=Europe/Volgograd=+04:00 Volgograd
    Caucasus Standard Time=Asia/Yerevan=+04:00 Yerevan
    Afghanistan Standard Time=Asia/Kabul=+04:30 Kabul
    West Asia Standard Time=Asia/Tashkent=+05:00 Ashgabat, Tashkent
    Ekaterinburg Standard Time=Asia/Yekaterinburg=+05:00 Ekaterinburg
    Pakistan Standard Time=Asia/Karachi=+05:00 Islamabad, Karachi
    Qyzylorda Standard Time=Asia/Qyzylorda=+05:00 Qyzylorda
    India Standard Time=Asia/Calcutta=+05:30 Chennai, Kolkata, Mumbai, New Delhi
    Sri Lanka Standard Time=Asia/Colombo=+05:30 Sri Jayawardenepura
    Nepal Standard Time=Asia/Katmandu=+05:45 Kathmandu
    Central Asia Standard Time=Asia/Bishkek=+06:00 Astana
    Bangladesh Standard Time=Asia/Dhaka=+06:00 Dhaka
    Omsk Standard Time=Asia/Omsk=+06:00 Omsk
    Myanmar Standard Time=Asia/Rangoon=+06:30 Yangon (Rangoon)
    SE Asia Standard Time=Asia/Bangkok=+07:00 Bangkok, Hanoi, Jakarta
    Altai Standard Time=Asia/Barnaul=+07:00 Barnaul, Gorno-Altaysk
    W. Mongolia Standard Time=Asia/Hovd=+07:00 Hovd
    North Asia Standard Time=Asia/Krasnoyarsk=+07:00 Krasnoyarsk
    N. Central Asia Standard Time=Asia/Novosibirsk=+07:00 Novosibirsk
    Tomsk Standard Time=Asia/Tomsk=+07:00 Tomsk
    China Standard Time=Asia/Shanghai=+08:00 Beijing, Chongqing, Hong Kong, Urumqi
    North Asia East Standard Time=Asia/Irkutsk=+08:00 Irkutsk
    Singapore Standard Time=Asia/Singapore=+08:00 Kuala Lumpur, Singapore
    W. Australia Standard Time=Australia/Perth=+08:00 Perth
    Taipei Standard Time=Asia/Taipei=+08:00 Taipei
    Ulaanbaatar Standard Time=Asia/Ulaanbaatar=+08:00 Ulaanbaatar
    Aus Central W. Standard Time=Australia/Eucla=+08:45 Eucla
    Transbaikal Standard Time=Asia/Chita=+09:00 Chita
    Tokyo Standard Time=Asia/Tokyo=+09:00 Osaka, Sapporo, Tokyo
    North Korea Standard Time=Asia/Pyongyang=+09:00 Pyongyang
    Korea Standard Time=Asia/Seoul=+09:00 Seoul
    Yakutsk Standard Time=Asia/Yakutsk=+09:00 Yakutsk
    Cen. Australia Standard Time=Australia/Adelaide=+09:30 Adelaide
    AUS Central Standard Time=Australia/Darwin=+09:30 Darwin
    E. Australia Standard Time=Australia/Brisbane=+10:00 Brisbane
    AUS Eastern Standard Time=Australia/Sydney=+10:00 Canberra, Melbourne, Sydney
    West Pacific Standard Time=Pacific/Port_Moresby=+10:00 Guam, Port Moresby
    Tasmania Standard Time=Australia/Hobart=+10:00 Hobart
    Vladivostok Standard Time=Asia/Vladivostok=+10:00 Vladivostok
    Lord Howe Standard Time=Australia/Lord_Howe=+10:30 Lord Howe Island
    Bougainville Standard Time=Pacific/Bougainville=+11:00 Bougainville Island
    Russia Time Zone 10=Asia/Srednekolymsk=+11:00 Chokurdakh
    Magadan Standard Time=Asia/Magadan=+11:00 Magadan
    Norfolk Standard Time=Pacific/Norfolk=+11:00 Norfolk Island
    Sakhalin Standard Time=Asia/Sakhalin=+11:00 Sakhalin
    Central Pacific Standard Time=Pacific/Guadalcanal=+11:00 Solomon Is., New Caledonia
    Russia Time Zone 11=Asia/Kamchatka=+12:00 Anadyr, Petropavlovsk-Kamchatsky
    Kamchatka Standard Time=Asia/Kamchatka=+12:00 Petropavlovsk-Kamchatsky - Old
    New Zealand Standard Time=Pacific/Auckland=+12:00 Auckland, Wellington
    Fiji Standard Time=Pacific/Fiji=+12:00 Fiji
    Chatham Islands Standard Time=Pacific/Chatham=+12:45 Chatham Islands
    Tonga Standard Time=Pacific/Tongatapu=+13:00 Nuku'alofa
    Line Islands Standard Time=Pacific/Kiritimati=+14:00 Kiritimati Island
    """
}
