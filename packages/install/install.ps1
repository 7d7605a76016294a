# Installs tersely for you alone: downloads the archive for Windows, checks it, and says how to undo that.
#
#   irm https://github.com/tersely/tersely/releases/latest/download/install.ps1 | iex
#
#   $env:TERSELY_VERSION       a version, such as 0.1.0; default: the latest
#   $env:TERSELY_INSTALL_DIR   where the program goes; default: %LOCALAPPDATA%\Programs\tersely
#   $env:TERSELY_DOWNLOAD_URL  where the archives and SHA256SUMS are; default: the project's releases

# In a function, so that half a download does nothing.
function Install-Tersely {
    $ErrorActionPreference = 'Stop'
    $ProgressPreference = 'SilentlyContinue'
    $releases = 'https://github.com/tersely/tersely/releases'
    $archive = 'tersely-x86_64-pc-windows-msvc.zip'

    $from = if ($env:TERSELY_DOWNLOAD_URL) { $env:TERSELY_DOWNLOAD_URL.TrimEnd('/') }
    elseif ($env:TERSELY_VERSION) { "$releases/download/v$($env:TERSELY_VERSION.TrimStart('v'))" }
    else { "$releases/latest/download" }
    $into = if ($env:TERSELY_INSTALL_DIR) { $env:TERSELY_INSTALL_DIR }
    else { Join-Path $env:LOCALAPPDATA 'Programs\tersely' }

    $tmp = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
    New-Item -ItemType Directory -Path $tmp | Out-Null
    try {
        Invoke-WebRequest -UseBasicParsing "$from/SHA256SUMS" -OutFile "$tmp\SHA256SUMS"
        $line = Get-Content "$tmp\SHA256SUMS" | Where-Object { $_.EndsWith("  $archive") }
        if (-not $line) { throw "$from/SHA256SUMS does not name $archive" }
        $expected = $line.Split(' ')[0]

        Invoke-WebRequest -UseBasicParsing "$from/$archive" -OutFile "$tmp\$archive"
        $found = (Get-FileHash -Algorithm SHA256 "$tmp\$archive").Hash
        if ($found -ne $expected) { throw "$archive is not what was released: its SHA-256 is $found, not $expected" }

        Expand-Archive "$tmp\$archive" -DestinationPath $tmp
        New-Item -ItemType Directory -Force -Path $into | Out-Null
        Copy-Item -Force "$tmp\tersely-x86_64-pc-windows-msvc\tersely.exe" $into
    }
    finally {
        Remove-Item -Recurse -Force $tmp
    }

    Write-Output "installed $(& "$into\tersely.exe" --version): $into\tersely.exe"
    if (($env:PATH -split ';') -notcontains $into) {
        Write-Output "to have it on your path: [Environment]::SetEnvironmentVariable('PATH', [Environment]::GetEnvironmentVariable('PATH', 'User') + ';$into', 'User')"
    }
    Write-Output 'to start: tersely run claude'
    Write-Output "to upgrade: run this again; to undo: Remove-Item -Recurse '$into'"
}

Install-Tersely
