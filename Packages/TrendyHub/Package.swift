// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "TrendyHub",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "HubTesting", targets: ["HubTesting"]),
    .library(name: "TrendyHub", targets: ["TrendyHub"]),
  ],
  dependencies: [
    .package(path: "../TrendyArchive"), .package(path: "../TrendyInsights"), .package(path: "../TrendyInterchange"),
    .package(path: "../TrendyModels"), .package(path: "../TrendyPersistence"), .package(path: "../TrendyProtocols"),
    .package(path: "../TrendyTesting"), .package(path: "../TrendyTrips"),
  ],
  targets: [
    .target(
      name: "HubTesting", dependencies: ["TrendyHub", "TrendyModels", "TrendyPersistence", "TrendyProtocols"]),
    .testTarget(
      name: "HubTestingTests",
      dependencies: [
        "HubTesting", "TrendyHub", "TrendyModels",
        .product(name: "StorageTesting", package: "TrendyPersistence"), "TrendyPersistence",
      ], resources: [.copy("Resources")]),
    .target(
      name: "TrendyHub",
      dependencies: [
        "CCrypto", "CEpoll", "HubPages", "TrendyArchive", "TrendyInsights", "TrendyInterchange", "TrendyModels",
        "TrendyPersistence", "TrendyProtocols", "TrendyTrips",
      ]),
    .testTarget(
      name: "TrendyHubTests",
      dependencies: [
        "HubTesting", .product(name: "StorageTesting", package: "TrendyPersistence"), "TrendyArchive", "TrendyHub",
        "TrendyInterchange", "TrendyModels", "TrendyPersistence", "TrendyProtocols", "TrendyTesting",
      ]),
  ]
)

// Upcoming features that Swift 7 will enable; the same list in every manifest.
let swiftSeven: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),  // `any` marks dynamic dispatch
  .enableUpcomingFeature("InternalImportsByDefault"),  // `public import` only for modules in the public API
  .enableUpcomingFeature("MemberImportVisibility"),  // each file imports what it uses
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // async functions run on the caller's actor
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  .treatWarning("ExplicitSendable", as: .error),  // every public type states whether it is Sendable
]
for target in package.targets { target.swiftSettings = (target.swiftSettings ?? []) + swiftSeven }

// C targets accept no Swift settings, so add these after the loop.
package.targets += [
  // Files of the dashboard, embedded with `#embed`.
  .target(name: "HubPages", exclude: ["api.d.ts", "biome.json", "browser.d.ts", "site", "tsconfig.json"]),
  .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
  .systemLibrary(name: "CEpoll"),
]
